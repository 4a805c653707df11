#include "yaml/parse.h"

#include <string>

#include <doctest/doctest.h>

namespace epwise::yaml {
namespace {

/// A tree on one line: scalars as they are in angle brackets with their place in the text.
std::string shown(const Node& node) {
  const auto place = [](const text::Mark& mark) {
    return "@" + std::to_string(mark.begin) + "-" + std::to_string(mark.end);
  };
  std::string result;
  switch (node.kind) {
    case Kind::null:
      result = "null";
      break;
    case Kind::scalar:
      result = "<" + node.scalar + ">";
      break;
    case Kind::sequence:
      for (const Node& item : node.items) {
        result += (result.empty() ? "[" : ", ") + shown(item);
      }
      result += result.empty() ? "[]" : "]";
      break;
    case Kind::mapping:
      for (const Entry& entry : node.entries) {
        result += (result.empty() ? "{" : ", ") + entry.key + place(entry.key_mark) + ": " +
                  shown(entry.value);
      }
      result += result.empty() ? "{}" : "}";
      break;
  }
  return result + place(node.mark);
}

std::string tree(const std::string& bytes) {
  const text::SourceFile file("a.yaml", bytes);
  const Stream stream = parse(file);
  std::string result;
  for (const text::Diagnostic& each : stream.diagnostics) {
    result += each.rule + "@" + std::to_string(each.mark.begin) + "-" +
              std::to_string(each.mark.end) + " ";
  }
  for (const Document& document : stream.documents) {
    result += (document.number > 1 ? " | " : "") + shown(document.root);
  }
  return result;
}

TEST_CASE("marks cover values as they stand in the text") {
  CHECK(tree("a: 1") == "{a@0-1: <1>@3-4}@0-4");
  CHECK(tree("a: 'x''y' # c\n") == "{a@0-1: <x'y>@3-9}@0-9");
  CHECK(tree("a:\n  - x\n  - \"y\"\n") == "{a@0-1: [<x>@7-8, <y>@13-16]@5-16}@0-16");
  CHECK(tree("a: [1, {b: 2}]\n") == "{a@0-1: [<1>@4-5, {b@8-9: <2>@11-12}@7-13]@3-14}@0-14");
  CHECK(tree("a: x\n   y # c\nb: 2\n") == "{a@0-1: <x y>@3-9, b@14-15: <2>@17-18}@0-18");
  CHECK(tree("a: |\n  x\n\n  y\n\nb: 2") == "{a@0-1: <x\n\ny\n>@3-13, b@15-16: <2>@18-19}@0-19");
}

TEST_CASE("an empty value stands behind its key") {
  CHECK(tree("a:\nb: 1") == "{a@0-1: null@2-2, b@3-4: <1>@6-7}@0-7");
  CHECK(tree("a: null") == "{a@0-1: null@3-7}@0-7");
  CHECK(tree("a:\nnull : 1\n").find("{a@0-1: null@2-2") != std::string::npos);
  CHECK(tree("{a, b: }") == "{a@1-2: null@2-2, b@4-5: null@6-6}@0-8");
  CHECK(tree("- \n- ~") == "[null@1-1, null@5-6]@0-6");
}

TEST_CASE("aliases and merge keys") {
  CHECK(tree("a: &x 1\nb: *x") == "{a@0-1: <1>@6-7, b@8-9: <1>@11-13}@0-13");
  CHECK(tree("a: &x {p: 1, q: 2}\nb:\n  <<: *x\n  q: 3") ==
        "{a@0-1: {p@7-8: <1>@10-11, q@13-14: <2>@16-17}@6-18, "
        "b@19-20: {p@7-8: <1>@28-30, q@33-34: <3>@36-37}@24-37}@0-37");
}

TEST_CASE("problems are reported and never thrown") {
  CHECK(tree(",").starts_with("yaml/syntax@0-1"));
  CHECK(tree("a: 1\na: 2").starts_with("yaml/duplicate-key@5-6"));
  CHECK(tree("a: *x").starts_with("yaml/unknown-alias@3-5"));
  CHECK(tree("a: &x [*x]").starts_with("yaml/recursive-alias@7-9"));
  CHECK(tree("- a\nb: 1").starts_with("yaml/syntax@4-8"));
  CHECK(tree("").starts_with("yaml/empty@0-0"));
  CHECK(tree("a: [1\n").starts_with("yaml/syntax"));
  CHECK(tree("a:\t1\n").starts_with("yaml/tab@2-3"));
}

}  // namespace
}  // namespace epwise::yaml
