// What PyYAML refuses, we report, at the place where the mistake is.

#include <string>

#include <doctest/doctest.h>

#include "unit/yaml/tree_text.h"
#include "yaml/parse.h"

namespace epwise::yaml {
namespace {

struct Refusal {
  std::string text;
  std::string problems;
  std::string message;  // a part of the first problem's message or help
};

void check_refusal(const Refusal& row) {
  CAPTURE(row.text);
  const text::SourceFile file("a.yaml", row.text);
  const Stream stream = parse(file);
  CHECK(problems_text(stream) == row.problems);
  CHECK_FALSE(stream.readable);
  REQUIRE_FALSE(stream.diagnostics.empty());
  const text::Diagnostic& first = stream.diagnostics[0];
  CHECK(first.message.find(row.message) != std::string::npos);
  CHECK_FALSE(first.help.empty());
  CHECK_FALSE(first.mark.nowhere());
}

TEST_CASE("brackets and quotes") {
  const Refusal table[] = {
      {"a: [1, 2\nb: 3\n", "yaml/syntax@1:4", "`[` is not closed"},
      {"a: {x: 1\nb: 3\n", "yaml/syntax@1:4", "`{` is not closed"},
      {"a: [[1, 2], 3\n\n", "yaml/syntax@1:4", "`[` is not closed"},
      {"a: ['x' 'y']\n", "yaml/syntax@1:9", "comma or the closing `]`"},
      {"a: [1, 2]]\n", "yaml/syntax@1:10", "no opening bracket"},
      {"a: {b: [1}\n", "yaml/syntax@1:10", "no opening bracket"},
      {"a: 'x\nb: 3\n", "yaml/syntax@1:4", "quote is not closed"},
      {"a: \"x\nb: 3\n", "yaml/syntax@1:4", "quote is not closed"},
      {"a: 'it's'\n", "yaml/syntax@1:8", "does not belong to anything before it"},
      {"a: \"x\" y\n", "yaml/syntax@1:8", "does not belong to anything before it"},
      {"a: \"\\q\"\n", "yaml/syntax@1:5", "`\\q` is not a YAML escape"},
      {"a: \"\\'\"\n", "yaml/syntax@1:5", "not allowed here"},
      {"a: \"\\xzz\"\n", "yaml/syntax@1:5", "`\\xzz` is not a YAML escape"},
      {"a: [1, , 2]\n", "yaml/syntax@1:8", "value is missing"},
      {"a: {b: 1,, c: 2}\n", "yaml/syntax@1:10 yaml/key-not-scalar@1:10", "key is missing"},
      {"a: '\n--- x'\n", "yaml/syntax@2:1", "ends the document"},
      {"a: [::x]\n", "yaml/syntax@1:5", "cannot start with `:`"},
  };
  for (const Refusal& row : table) {
    check_refusal(row);
  }
}

TEST_CASE("keys and indentation") {
  const Refusal table[] = {
      {"a: 1\n  b: 2\n", "yaml/syntax@2:3", "continues the value of the line before"},
      {"a:\n  b: 1\n c: 2\n",
       "yaml/syntax@3:2",
       "indentation of this line matches no line before it"},
      {"a:\n  b: 1\n    c: 2\n", "yaml/syntax@3:5", "continues the value of the line before"},
      {"a: b: c\n", "yaml/syntax@1:5", "second `: ` on one line"},
      {"a: 1\nb\nc: 2\n", "yaml/syntax@2:1", "has no `:`"},
      {"a: 1\nb\n", "yaml/syntax@2:1", "not followed by `:`"},
      {"a: 1\nb:2\nc: 3\n", "yaml/syntax@2:1", "must be followed by a space"},
      {"a:\nb", "yaml/syntax@2:1", "not followed by `:`"},
      {"- a\nb: 1\n", "yaml/syntax@2:1", "does not belong to anything before it"},
      {"a: - b\n", "yaml/syntax@1:4", "list cannot start here"},
      {"a: x\n- b\n", "yaml/syntax@2:1", "list item where a key is needed"},
      {"a:\n  - b\n - c\n", "yaml/syntax@3:2", "list item where a key is needed"},
      {"a:\n'x'\n", "yaml/syntax@2:1", "not indented"},
      {": b\n", "yaml/syntax@1:1 yaml/key-not-scalar@1:1", "key is missing"},
      {"--- a: b\n", "yaml/syntax@1:6", "line of its `---`"},
      {",", "yaml/syntax@1:1", "does not belong to anything"},
      {"a: 1\n...\nb: 2\n", "yaml/syntax@3:1", "does not belong to anything before it"},
  };
  for (const Refusal& row : table) {
    check_refusal(row);
  }
}

TEST_CASE("signs with a meaning of their own") {
  const Refusal table[] = {
      {"a: @x\n", "yaml/syntax@1:4", "no value can start"},
      {"a: `x`\n", "yaml/syntax@1:4", "no value can start"},
      {"a: %x\n", "yaml/syntax@1:4", "no value can start"},
      {"a: *x\n", "yaml/unknown-alias@1:4", "`*x` refers to an anchor that is not defined"},
      {"a: &name 1\nb: *nane\n", "yaml/unknown-alias@2:4", "did you mean `name`?"},
      {"a: &x [*x]\n", "yaml/recursive-alias@1:8", "inside the value"},
      {"a: &x 1\nb: [*x]\nc: &x 2\nd: *x\n", "yaml/syntax@3:4", "second anchor with this name"},
      {"a: &x: 1\nb: 2\n", "yaml/syntax@1:4 yaml/unused-anchor@1:4", "anchor names"},
      {"a: & x\n", "yaml/syntax@1:5", "name is missing"},
      {"a: !x!y z\n", "yaml/syntax@1:4", "not declared"},
      {"a: [!x, y]\n", "yaml/syntax@1:5", "space is missing"},
      {"a: | x\n", "yaml/syntax@1:6", "only a comment may follow"},
      {"a: |2#\n  x\n", "yaml/syntax@1:6", "not allowed here"},
      {"%include x\na: 1\n", "yaml/syntax@1:1", "no line `---` follows"},
      {"%YAML x\n---\na: 1\n", "yaml/syntax@1:1", "version"},
  };
  for (const Refusal& row : table) {
    check_refusal(row);
  }
}

TEST_CASE("tabs") {
  const Refusal table[] = {
      {"\ta: 1\n", "yaml/tab@1:1", "indentation"},
      {"a:\n\tb: 1\n", "yaml/tab@2:1", "indentation"},
      {"a:\n  b: 1\n\tc: 2\n", "yaml/tab@3:1", "indentation"},
      {"a:\t1\n", "yaml/tab@1:3", "only spaces"},
      {"a: 1\t\nb: 2\t# c\n", "yaml/tab@1:5 yaml/tab@2:5", "only spaces"},
      {"a: x\ty\n", "yaml/tab@1:5", "only spaces"},
      {"- a\n\t\n- b\n", "yaml/tab@2:1", "indentation"},
  };
  for (const Refusal& row : table) {
    check_refusal(row);
  }
}

TEST_CASE("what PyYAML takes is not refused") {
  for (const std::string bytes : {"a: 'x\ty' # \t\nb: |\n  x\ty\n \nc: \"\t\"\n",
                                  "a:\n- b\n- c\n",
                                  "a: b:c\nd: -e\nf: ?g\n",
                                  "? a\n: b\n? c\n",
                                  "a: {b, c: }\nd: [e: f, 'g':h]\n",
                                  "a: ${B:-c}\nd: ([0]*3+[1]*58)\n",
                                  "%YAML 1.1\n# c\n---\na: 1\n...\n",
                                  "a: \"\\N\\_\\u00e9\\U0001F600\\/\"\n",
                                  "a: >+\n\n  b\n\n\nc: |2-\n   d\n",
                                  "a: !!python/name:torch.bfloat16\n",
                                  "'a b': c\n\"d\" : e\n"}) {
    CAPTURE(bytes);
    const text::SourceFile file("a.yaml", bytes);
    const Stream stream = parse(file);
    CHECK(problems_text(stream).empty());
    CHECK(stream.readable);
  }
}

TEST_CASE("advice that stops nothing") {
  const text::SourceFile file("a.yaml", "a: &x 1\n[b]: 1\n? {c: 1}\n: 2\nnull: 3\n");
  const Stream stream = parse(file);
  CHECK(problems_text(stream) ==
        "yaml/unused-anchor@1:4 yaml/key-not-scalar@2:1 yaml/key-not-scalar@3:3 "
        "yaml/key-not-scalar@5:1");
  CHECK(stream.readable);
  CHECK(stream.documents.at(0).root.entries.size() == 1);
}

}  // namespace
}  // namespace epwise::yaml
