#include "yaml/scalar.h"

#include <cmath>
#include <limits>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "yaml/parse.h"

namespace epwise::yaml {
namespace {

/// "real 1.5", "integer 8", "true", "null", "text", "refused".
std::string shown(const Typed& typed) {
  if (!typed.refused.empty()) {
    return "refused";
  }
  switch (typed.type) {
    case ScalarType::null:
      return "null";
    case ScalarType::boolean:
      return typed.boolean ? "true" : "false";
    case ScalarType::integer:
      return typed.big ? fmt::format("big {}", typed.real)
                       : fmt::format("integer {}", typed.integer);
    case ScalarType::real:
      return fmt::format("real {}", typed.real);
    case ScalarType::text:
      break;
  }
  return "text";
}

struct Word {
  std::string word;
  std::string pyyaml;
  std::string omegaconf;  // empty: the same
};

TEST_CASE("plain words as the two loaders read them") {
  const Word table[] = {
      {"1", "integer 1", ""},
      {"-17", "integer -17", ""},
      {"+1", "integer 1", ""},
      {"1_000", "integer 1000", ""},
      {"1__", "integer 1", ""},
      {"_1", "text", ""},
      {"010", "integer 8", ""},
      {"-010", "integer -8", ""},
      {"08", "text", ""},
      {"0o10", "text", ""},
      {"0x1F", "integer 31", ""},
      {"0X1F", "text", ""},
      {"-0b101", "integer -5", ""},
      {"0x_", "refused", ""},
      {"1:30", "integer 90", ""},
      {"1:30:00", "integer 5400", ""},
      {"-1:30", "integer -90", ""},
      {"0:30", "text", ""},
      {"1:60", "text", ""},
      {"1:30.5", "real 90.5", ""},
      {"1.5", "real 1.5", ""},
      {"1.", "real 1", ""},
      {".5", "real 0.5", ""},
      {"-.5", "text", ""},
      {"1.0e-4", "real 0.0001", ""},
      {"1e-4", "text", "real 0.0001"},
      {"1e4", "text", "real 10000"},
      {"1.0e4", "text", "real 10000"},
      {"1_0e2", "text", "real 1000"},
      {"1__0e2", "text", ""},
      {".5e3", "text", ""},
      {"1e", "text", ""},
      {"1.2.3", "text", ""},
      {".inf", "real inf", ""},
      {"-.INF", "real -inf", ""},
      {".nan", "real nan", ""},
      {"-.nan", "text", ""},
      {"inf", "text", ""},
      {"1.0e+400", "real inf", ""},
      {"yes", "true", ""},
      {"Off", "false", ""},
      {"TRUE", "true", ""},
      {"tRue", "text", ""},
      {"y", "text", ""},
      {"null", "null", ""},
      {"~", "null", ""},
      {"", "null", ""},
      {"nULL", "text", ""},
      {"None", "text", ""},
      {"2026-08-01", "refused", "text"},
      {"2026-8-1", "text", ""},
      {"2026-8-1 1:02:03", "refused", "text"},
      {"2026-08-01T1:02:03.5+01:00", "refused", "text"},
      {"=", "refused", ""},
      {"<<", "refused", ""},
      {"9223372036854775807", "integer 9223372036854775807", ""},
      {"-9223372036854775808", "integer -9223372036854775808", ""},
      {"9223372036854775808", "big 9.223372036854775807e+18", ""},
      {"0xFFFFFFFFFFFFFFFFF", "big 2.9514790517935283e+20", ""},
      {"2562047788015215:30:08", "integer 9223372036854775808", ""},
  };
  for (const Word& row : table) {
    CAPTURE(row.word);
    if (row.pyyaml.starts_with("big") || row.word.starts_with("25620")) {
      CHECK(type_plain(row.word, Dialect::pyyaml).big);
      continue;
    }
    CHECK(shown(type_plain(row.word, Dialect::pyyaml)) == row.pyyaml);
    CHECK(shown(type_plain(row.word, Dialect::omegaconf)) ==
          (row.omegaconf.empty() ? row.pyyaml : row.omegaconf));
    CHECK(shown(type_plain(row.word, Dialect::words)) == "text");
  }
}

TEST_CASE("a big integer keeps its size") {
  const Typed typed = type_plain("123456789012345678901234567890", Dialect::pyyaml);
  CHECK(typed.type == ScalarType::integer);
  CHECK(typed.big);
  CHECK(std::abs(typed.real / 123456789012345678901234567890.0 - 1) < 1e-15);
}

TEST_CASE("quotes and tags decide before the pattern") {
  const Word table[] = {
      {"'1'", "text", ""},
      {"\"null\"", "text", ""},
      {"|\n 1\n", "text", ""},
      {"!!str 1", "text", ""},
      {"! 1", "text", ""},
      {"!!int '3'", "integer 3", ""},
      {"!!int 0x10", "integer 16", ""},
      {"!!int x", "refused", ""},
      {"!!float 3", "real 3", ""},
      {"!!float '1e3'", "real 1000", ""},
      {"!!float nan", "real nan", ""},
      {"!!bool 'YES'", "true", ""},
      {"!!bool 1", "refused", ""},
      {"!!null x", "null", ""},
      {"!!str", "text", ""},
      {"!<tag:yaml.org,2002:int> 7", "integer 7", ""},
      {"!!python/name:torch.bfloat16", "refused", ""},
      {"!x 1", "refused", ""},
      {"!!python/tuple [1]", "refused", ""},
      {"!!map {a: 1}", "text", ""},
      {"[1]", "text", ""},
  };
  for (const Word& row : table) {
    CAPTURE(row.word);
    const text::SourceFile file("a.yaml", "x: " + row.word);
    const Stream stream = parse(file);
    REQUIRE(stream.documents.size() == 1);
    const Node* const node = stream.documents[0].root.find("x");
    REQUIRE(node != nullptr);
    CHECK(shown(type_scalar(*node, Dialect::pyyaml)) == row.pyyaml);
    CHECK(shown(type_scalar(*node, Dialect::omegaconf)) == row.pyyaml);
  }
}

TEST_CASE("in a list of words only an empty value is null") {
  const text::SourceFile file("a.yaml", "[null, ~, 1, {a: }]");
  const Stream stream = parse(file);
  REQUIRE(stream.documents.size() == 1);
  const std::vector<Node>& items = stream.documents[0].root.items;
  CHECK(shown(type_scalar(items[0], Dialect::words)) == "text");
  CHECK(shown(type_scalar(items[1], Dialect::words)) == "text");
  CHECK(shown(type_scalar(items[2], Dialect::words)) == "text");
  CHECK(shown(type_scalar(items[3].entries[0].value, Dialect::words)) == "null");
}

}  // namespace
}  // namespace epwise::yaml
