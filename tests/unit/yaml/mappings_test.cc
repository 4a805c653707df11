#include <string>

#include <doctest/doctest.h>

#include "unit/yaml/tree_text.h"
#include "yaml/compose.h"

namespace epwise::yaml {
namespace {

/// "p=1 q=2*": keys and values of the mapping at `key`, a star at what came in through `<<`.
std::string merged(const std::string& bytes, const std::string& key) {
  const text::SourceFile file("a.yaml", bytes);
  const Stream stream = parse(file);
  std::string result = problems_text(stream);
  for (const Entry& entry : stream.documents.at(0).root.find(key)->entries) {
    result += (result.empty() ? "" : " ") + entry.key + "=" + entry.value.scalar +
              (entry.merged ? "*" : "");
  }
  return result;
}

TEST_CASE("merge keys as PyYAML resolves them") {
  const std::string bases = "a: &a {p: 1, q: 2}\nb: &b {q: 3, r: 4}\n";
  CHECK(merged(bases + "c: {<<: *a, x: *b}", "c") == "p=1* q=2* x=");
  CHECK(merged(bases + "c: {q: 9, <<: *a, x: *b}", "c") == "p=1* q=9 x=");
  CHECK(merged(bases + "c: {<<: [*a, *b]}", "c") == "r=4* p=1* q=2*");
  CHECK(merged(bases + "c: {<<: [*b, *a]}", "c") == "p=1* q=3* r=4*");
  CHECK(merged(bases + "c: {<<: *a, s: 1, <<: *b}", "c") == "p=1* q=3* r=4* s=1");
  CHECK(merged("a: &a {<<: {p: 1}, q: 2}\nc: {<<: *a}", "c") == "p=1* q=2*");
  CHECK(merged("c: {'<<': 1}", "c") == "<<=1");
}

TEST_CASE("a merge key needs mappings") {
  CHECK(merged("c: {<<: 1, p: 2}", "c") == "yaml/merge-key@1:9 p=2");
  CHECK(merged("c: {<<: [{q: 1}, x, [y]], p: 2}", "c") ==
        "yaml/merge-key@1:18 yaml/merge-key@1:21 q=1* p=2");
  CHECK(merged("c:\n  <<:\n  p: 2", "c") == "yaml/merge-key@2:6 p=2");
}

TEST_CASE("what a merge brings in is marked where it is used and where it is defined") {
  const text::SourceFile file("a.yaml", "a: &a {p: 1}\nb:\n  <<: *a\n");
  const Stream stream = parse(file);
  const Entry& entry = stream.documents.at(0).root.find("b")->entries.at(0);
  CHECK(entry.merged);
  CHECK(place(entry.key_mark) == "@7-8");
  CHECK(place(entry.value.mark) == "@22-24");
  CHECK(place(entry.value.defined) == "@10-11");
}

struct Duplicate {
  std::string text;
  std::string problems;
  std::string help;  // a part of it
};

TEST_CASE("a key that stands twice is reported with both places") {
  const Duplicate table[] = {
      {"a: 1\nb: 2\na: 3\n", "yaml/duplicate-key@3:1", "the values differ"},
      {"a: 1\n'a': 1\n", "yaml/repeated-key@2:1", "both values are equal"},
      {"a: [x, {y: z}]\na: [x, {y: z}]\n", "yaml/repeated-key@2:1", "both values are equal"},
      {"a: 1\na: '1'\n", "yaml/duplicate-key@2:1", "the values differ"},
      {"a: x\na: 'x'\n", "yaml/repeated-key@2:1", "both values are equal"},
      {"a: ~\na: null\n", "yaml/repeated-key@2:1", "both values are equal"},
      {"yes: 1\ntrue: 1\n", "yaml/repeated-key@2:1", "both values are equal"},
      {"16: 1\n0x10: 1\n", "yaml/repeated-key@2:1", "both values are equal"},
      {"{a: 1, b: {a: 1}}", "", ""},
      {"1: a\n'1': a\n", "", ""},
  };
  for (const Duplicate& row : table) {
    CAPTURE(row.text);
    const text::SourceFile file("a.yaml", row.text);
    const Stream stream = parse(file);
    CHECK(problems_text(stream) == row.problems);
    CHECK(stream.readable);
    if (!row.problems.empty()) {
      const text::Diagnostic& problem = stream.diagnostics.at(0);
      CHECK(problem.help.find(row.help) != std::string::npos);
      REQUIRE(problem.related.size() == 1);
      CHECK(problem.related[0].mark.start() == text::Position{1, 1});
    }
  }
}

}  // namespace
}  // namespace epwise::yaml
