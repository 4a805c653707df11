// Inputs that are meant to hurt: each ends soon, with a place and without a crash.

#include <string>

#include <doctest/doctest.h>

#include "unit/yaml/tree_text.h"
#include "yaml/parse.h"

namespace epwise::yaml {
namespace {

using namespace std::string_literals;

std::string problems(const std::string& bytes, const Limits& limits = {}) {
  const text::SourceFile file("a.yaml", bytes);
  const Stream stream = parse(file, limits);
  CHECK_FALSE(stream.readable);
  return problems_text(stream);
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) {
    result += text;
  }
  return result;
}

TEST_CASE("encodings") {
  CHECK(problems("a: 1\nb: \xFF\n") == "yaml/encoding@2:4");
  CHECK(problems("a: \xC3") == "yaml/encoding@1:4");
  CHECK(problems("a: \xED\xA0\x80") == "yaml/encoding@1:4");  // a lone surrogate
  CHECK(problems("a: x\0y"s) == "yaml/encoding@1:5");
  CHECK(problems("a: \x1B[0m") == "yaml/encoding@1:4");
  CHECK(problems("a: \x04") == "yaml/encoding@1:4");  // yaml-cpp would take it for the end
  CHECK(problems("a: \xC2\x80") == "yaml/encoding@1:4");
  CHECK(problems("a: \xEF\xBF\xBE") == "yaml/encoding@1:4");
  CHECK(problems("\xEF\xBB\xBF\xEF\xBB\xBF"
                 "a: 1") == "yaml/byte-order-mark@1:1 yaml/encoding@1:1");
}

TEST_CASE("a wide encoding is named") {
  for (const std::string& bytes : {"\xFF\xFE"
                                   "a\0:\0 \0"
                                   "1\0"s,
                                   "\xFE\xFF\0a\0:\0 \0"
                                   "1"s,
                                   "a\0:\0 \0"
                                   "1\0\n\0"s,
                                   "\0a\0:\0 \0"
                                   "1\0\n"s}) {
    const text::SourceFile file("a.yaml", bytes);
    const Stream stream = parse(file);
    REQUIRE(stream.diagnostics.size() == 1);
    CHECK(stream.diagnostics[0].rule == "yaml/encoding");
    CHECK(stream.diagnostics[0].message == "the file is written in UTF-16");
  }
  const text::SourceFile file("a.yaml", "\xFF\xFE\0\0a\0\0\0"s);
  CHECK(parse(file).diagnostics.at(0).message == "the file is written in UTF-32");
}

TEST_CASE("size") {
  Limits limits;
  limits.bytes = 1000;
  CHECK(problems(repeated("a: 1\n", 201), limits) == "yaml/too-large@1:1");
  limits.documents = 3;
  CHECK(problems("---\n---\n---\n---\n", limits) == "yaml/too-many-nodes@4:1");
}

TEST_CASE("depth bombs") {
  CHECK(problems(repeated("[", 20'000)).starts_with("yaml/too-deep@1:"));
  CHECK(problems(repeated("{a: ", 20'000)).starts_with("yaml/too-deep@1:"));
  CHECK(problems(repeated("- ", 20'000)).starts_with("yaml/too-deep@1:"));
  CHECK(problems(repeated("? ", 20'000)).starts_with("yaml/too-deep@1:"));
  std::string steps;
  for (int i = 0; i < 2000; ++i) {
    steps += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  }
  CHECK(problems(steps).starts_with("yaml/too-deep@65:65"));
  std::string chain = "a0: &a0 [x]\n";
  for (int i = 1; i < 200; ++i) {
    const std::string number = std::to_string(i);
    chain += "a" + number + ": &a" + number + " [*a" + std::to_string(i - 1) + "]\n";
  }
  CHECK(problems(chain).starts_with("yaml/too-deep@"));
}

TEST_CASE("alias bombs") {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string inner = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + inner +
            repeated(", " + inner, 8) + "]\n";
  }
  Limits limits;
  limits.nodes = 20'000;
  CHECK(problems(bomb, limits).starts_with("yaml/too-many-nodes@"));
  limits.bytes = 100'000;
  const std::string long_text =
      "a: &a '" + std::string(50'000, 'x') + "'\nb: [*a" + repeated(", *a", 1000) + "]\n";
  CHECK(problems(long_text, limits).starts_with("yaml/too-many-nodes@2:"));
}

TEST_CASE("many values") {
  Limits limits;
  limits.nodes = 1000;
  CHECK(problems("[" + repeated("1, ", 2000) + "1]", limits) == "yaml/too-many-nodes@1:2999");
  CHECK(problems(repeated("- 1\n", 2000), limits) == "yaml/too-many-nodes@1000:3");
  CHECK(problems("[" + repeated("1, ", 5000) + "1]", limits).starts_with("yaml/too-many-nodes@1:"));
}

TEST_CASE("a long list of problems is cut") {
  std::string bytes;
  for (int i = 0; i < 150; ++i) {
    bytes += "a: " + std::to_string(i) + "\n";
  }
  const text::SourceFile file("a.yaml", bytes);
  const Stream stream = parse(file);
  REQUIRE(stream.diagnostics.size() == 100);
  CHECK(stream.diagnostics.back().message.find("49 more") != std::string::npos);
}

}  // namespace
}  // namespace epwise::yaml
