#include "yaml/parse.h"

#include <string>

#include <doctest/doctest.h>

#include "unit/yaml/tree_text.h"

namespace epwise::yaml {
namespace {

/// The trees of a text, behind its problems if there are any.
std::string tree(const std::string& bytes) {
  const text::SourceFile file("a.yaml", bytes);
  const Stream stream = parse(file);
  const std::string problems = problems_text(stream);
  return problems + (problems.empty() ? "" : " ") + trees_text(stream);
}

TEST_CASE("marks cover values as they stand in the text") {
  CHECK(tree("a: 1") == "{a@0-1: <1>@3-4}@0-4");
  CHECK(tree("a: 'x''y' # c\n") == "{a@0-1: <x'y>@3-9}@0-9");
  CHECK(tree("a: \"x\\\"y\"\n") == "{a@0-1: <x\"y>@3-9}@0-9");
  CHECK(tree("a:\n  - x\n  - \"y\"\n") == "{a@0-1: [<x>@7-8, <y>@13-16]@5-16}@0-16");
  CHECK(tree("a: [1, {b: 2}]\n") == "{a@0-1: [<1>@4-5, {b@8-9: <2>@11-12}@7-13]@3-14}@0-14");
  CHECK(tree("a: [1,\n  2 # c ]\n ,]\nb: 1") ==
        "{a@0-1: [<1>@4-5, <2>@9-10]@3-20, b@21-22: <1>@24-25}@0-25");
  CHECK(tree("[a, b: c]") == "[<a>@1-2, {b@4-5: <c>@7-8}@4-8]@0-9");
  CHECK(tree("- - a\n  - b\n- c: d\n  e: f\n") ==
        "[[<a>@4-5, <b>@10-11]@2-11, {c@14-15: <d>@17-18, e@21-22: <f>@24-25}@14-25]@0-25");
  CHECK(tree("x: a#b:c,d [e]\n") == "{x@0-1: <a#b:c,d [e]>@3-14}@0-14");
}

TEST_CASE("scalars of several lines end where their text ends") {
  CHECK(tree("a: x\n   y # c\nb: 2\n") == "{a@0-1: <x y>@3-9, b@14-15: <2>@17-18}@0-18");
  CHECK(tree("a: |\n  x\n\n  y\n\nb: 2") == "{a@0-1: <x\n\ny\n>@3-13, b@15-16: <2>@18-19}@0-19");
  CHECK(tree("a: >- # c\n  x\n  # y\n\nb: 2") == "{a@0-1: <x # y>@3-19, b@21-22: <2>@24-25}@0-25");
  CHECK(tree("a: |\n  ---\n  b: c\n") == "{a@0-1: <---\nb: c\n>@3-17}@0-17");
  CHECK(tree("a: \"x\n\n  y\"\nb: 2\n") == "{a@0-1: <x\ny>@3-11, b@12-13: <2>@15-16}@0-16");
  CHECK(tree("a: |\nb: 1\n") == "{a@0-1: <>@3-4, b@5-6: <1>@8-9}@0-9");
}

TEST_CASE("an empty value stands behind its key") {
  CHECK(tree("a:\nb: 1") == "{a@0-1: null@2-2, b@3-4: <1>@6-7}@0-7");
  CHECK(tree("a: # c\n\nb: 1") == "{a@0-1: null@2-2, b@8-9: <1>@11-12}@0-12");
  CHECK(tree("a: null") == "{a@0-1: null@3-7}@0-7");
  CHECK(tree("- a:\n- b") == "[{a@2-3: null@4-4}@2-4, <b>@7-8]@0-8");
  CHECK(tree("{a, b: }") == "{a@1-2: null@2-2, b@4-5: null@6-6}@0-8");
  CHECK(tree("- \n- ~") == "[null@1-1, null@5-6]@0-6");
  CHECK(tree("a: !!str\nb: 1") == "{a@0-1: <>@8-8, b@9-10: <1>@12-13}@0-13");
  CHECK(tree("a: &x\nb: *x") == "{a@0-1: null@5-5, b@6-7: null@9-11}@0-11");
}

TEST_CASE("an empty value is not taken for the null that follows it") {
  CHECK(tree("- a:\n- null") == "[{a@2-3: null@4-4}@2-4, null@7-11]@0-11");
  CHECK(tree("a:\nnull: 1") == "yaml/key-not-scalar@2:1 {a@0-1: null@2-2}@0-10");
  CHECK(tree("[null, nullx, ~]") == "[null@1-5, <nullx>@7-12, null@14-15]@0-16");
  CHECK(tree("'null'") == "<null>@0-6");
}

TEST_CASE("offsets are bytes, lines end as Python says") {
  CHECK(tree("é: ü\r\nb: c\r\n") == "{é@0-2: <ü>@4-6, b@8-9: <c>@11-12}@0-12");
  CHECK(tree("a: 1\rb: 2\r") == "{a@0-1: <1>@3-4, b@5-6: <2>@8-9}@0-9");
  CHECK(tree("# a\xC2\x85"
             "b: 2\n") == "{b@5-6: <2>@8-9}@5-9");
  CHECK(tree("\xEF\xBB\xBF"
             "a: 1\n") == "yaml/byte-order-mark@1:1 {a@0-1: <1>@3-4}@0-4");
}

TEST_CASE("properties belong to no value") {
  CHECK(tree("a: !!str 1\nb: ! 2") == "{a@0-1: <1>@9-10, b@11-12: <2>@16-17}@0-17");
  const text::SourceFile file("a.yaml", "a: !x &y [1]\nb: *y\n");
  const Stream stream = parse(file);
  REQUIRE(stream.documents.size() == 1);
  const Node* const a = stream.documents[0].root.find("a");
  REQUIRE(a != nullptr);
  CHECK(a->tag == "!x");
  CHECK(tree_text(*a) == "[<1>@10-11]@9-12");
}

TEST_CASE("a scalar knows whether it stands without quotes") {
  const text::SourceFile file("a.yaml", "[a, 'b', \"c\", null]\n");
  const Stream stream = parse(file);
  REQUIRE(stream.documents.size() == 1);
  std::string plain;
  for (const Node& item : stream.documents[0].root.items) {
    plain += item.plain ? "p" : "q";
  }
  CHECK(plain == "pqqp");
}

TEST_CASE("an alias stands where it is used and is defined at its anchor") {
  const text::SourceFile file("a.yaml", "a: &x {p: [1]}\nb: *x\n");
  const Stream stream = parse(file);
  CHECK(trees_text(stream) ==
        "{a@0-1: {p@7-8: [<1>@11-12]@10-13}@6-14, b@15-16: {p@7-8: [<1>@18-20]@18-20}@18-20}@0-20");
  const Node* const b = stream.documents[0].root.find("b");
  REQUIRE(b != nullptr);
  CHECK(place(b->defined) == "@6-14");
  CHECK(place(b->find("p")->items[0].defined) == "@11-12");
}

TEST_CASE("documents are separate, each with its first line") {
  const text::SourceFile file("a.yaml", "# c\na: 1\n---\n# d\nb: 2\n...\n---\n- *x\n");
  const Stream stream = parse(file);
  CHECK(trees_text(stream) == "{a@4-5: <1>@7-8}@4-8 | {b@17-18: <2>@20-21}@17-21");
  CHECK(problems_text(stream) == "yaml/unknown-alias@8:3");
  CHECK_FALSE(stream.readable);
  REQUIRE(stream.documents.size() == 2);
  CHECK(stream.documents[1].number == 2);
  CHECK(stream.documents[1].first_line == 3);
  CHECK(tree("---\n---\na: 1") == "null@3-3 | {a@8-9: <1>@11-12}@8-12");
}

TEST_CASE("no content is worth a word") {
  CHECK(tree("") == "yaml/empty@1:1 ");
  CHECK(tree("# nothing\n\n") == "yaml/empty@1:1 ");
  CHECK(tree("---\n").starts_with("yaml/empty@1:1"));
  CHECK(tree("null").starts_with("null"));
}

TEST_CASE("find gives the last of duplicates") {
  const text::SourceFile file("a.yaml", "a: 1\na: 2\n");
  const Stream stream = parse(file);
  REQUIRE(stream.documents.size() == 1);
  CHECK(stream.documents[0].root.entries.size() == 2);
  CHECK(stream.documents[0].root.find("a")->scalar == "2");
  CHECK(stream.documents[0].root.find("b") == nullptr);
}

}  // namespace
}  // namespace epwise::yaml
