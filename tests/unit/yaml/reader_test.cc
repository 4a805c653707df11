#include "yaml/reader.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "yaml/parse.h"

namespace epwise::yaml {
namespace {

/// A mapping that is read, with everything that is said about it.
struct Reading {
  text::SourceFile file;
  Stream stream;
  std::vector<text::Diagnostic> problems;

  explicit Reading(const std::string& bytes) : file("rule.yaml", bytes), stream(parse(file)) {}

  const Node& root() const { return stream.documents.at(0).root; }

  std::string said() const {
    std::string result;
    for (const text::Diagnostic& each : problems) {
      result += std::to_string(each.mark.start().line) + ": " + each.message + "\n";
    }
    return result;
  }
};

TEST_CASE("values come typed, absent ones as nothing") {
  Reading reading("code: EPO001\nn: 3\nx: 1e-3\non: yes\nlist: [a, b]\none: a\nmap: {k: v}\n");
  MapReader in(reading.root(), "rule", reading.problems);
  CHECK(in.required_text("code") == "EPO001");
  CHECK(in.integer("n") == 3);
  CHECK(in.number("n") == 3.0);
  CHECK(in.number("x") == 0.001);
  CHECK(in.boolean("on") == true);
  CHECK(in.texts("list") == std::vector<std::string>{"a", "b"});
  CHECK(in.texts("one") == std::vector<std::string>{"a"});
  REQUIRE(in.mapping("map") != nullptr);
  CHECK(in.mapping("map")->find("k")->scalar == "v");
  CHECK(in.sequence("list")->items.size() == 2);
  CHECK_FALSE(in.text("none").has_value());
  CHECK_FALSE(in.integer("none").has_value());
  CHECK(in.mapping("none") == nullptr);
  CHECK(in.texts("none").empty());
  in.finish();
  CHECK(reading.said().empty());
}

TEST_CASE("every problem is collected") {
  Reading reading("code: [1]\nn: 1.5\nx: a\non: 1\nlist: {a: b}\nmap: 3\n");
  MapReader in(reading.root(), "rule", reading.problems);
  CHECK_FALSE(in.text("code").has_value());
  CHECK_FALSE(in.integer("n").has_value());
  CHECK_FALSE(in.number("x").has_value());
  CHECK_FALSE(in.boolean("on").has_value());
  CHECK(in.texts("list").empty());
  CHECK(in.mapping("map") == nullptr);
  CHECK(in.sequence("map") == nullptr);
  CHECK(in.required("severity") == nullptr);
  CHECK(reading.problems.size() == 8);
  CHECK(reading.said() ==
        "1: `code` is a list, not a text\n"
        "2: `n` is not a whole number\n"
        "3: `x` is not a number\n"
        "4: `on` is neither true nor false\n"
        "5: `list` is a mapping, not a list of texts\n"
        "6: `map` is a word, not a mapping\n"
        "6: `map` is a word, not a list\n"
        "1: rule has no `severity`\n");
}

TEST_CASE("keys that nobody asked for are named") {
  Reading reading("code: x\nsevirity: error\n");
  MapReader in(reading.root(), "rule", reading.problems, "rules/invalid");
  in.required_text("code");
  in.text("severity");
  in.finish();
  CHECK(reading.said() == "2: unknown key `sevirity` in rule, did you mean `severity`?\n");
  CHECK(reading.problems.at(0).rule == "rules/invalid");
}

TEST_CASE("something else than a mapping is one problem") {
  Reading reading("- a\n");
  MapReader in(reading.root(), "rule", reading.problems);
  CHECK(in.required_text("code").empty());
  in.finish();
  CHECK(reading.said() == "1: rule is a list, but a mapping is needed\n");
}

}  // namespace
}  // namespace epwise::yaml
