#include "yaml/abridgement.h"

#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "unit/yaml/tree_text.h"
#include "yaml/parse.h"

namespace epwise::yaml {
namespace {

struct Short {
  std::string text;
  std::string abridged;
};

TEST_CASE("simple lines become short, others stay") {
  const Short table[] = {
      {"hidden_size: 4096  # words\nb: c\n", "x: x\nx: x\n"},
      {"# c\nmodel:  # c\n\n  layers: alltoall\n- b\n", "x:\n  x: x\n- x\n"},
      {"first: 'quoted'\nsecond: -12345\nlast: null\n", "x: x\nx: x\nx: null\n"},
      {"a: \"b: c # d\"  # e\nf: 'null'\n- \"g\"\n", "x: x\nx: x\n- x\n"},
      {"a: \"\"\nb: ''\nc: \"\\x41\"\nd: 'it''s'\ne: 'b\\'\nf: \"it''s\"\n",
       "x: \"\"\nx: ''\nx: \"\\x41\"\nx: 'it''s'\nx: x\nx: x\n"},
      {"a: 'b\n  c'\nd: e\n", "a: 'b\n  c'\nd: e\n"},
      {"a: 'b'\n  c\nd: e\n", "a: 'b'\n  c\nd: e\n"},
      {"a: 'b' c\n", "a: 'b' c\n"},
      {"a: 'b': c\n", "a: 'b': c\n"},
      {"a: ~\nnull: 1", "x: ~\nnull: x\n"},
      {"long_key: |\n  some: text\n # t\nother: a\nlast: 1\n",
       "x: |\n  some: text\n # t\nx: x\nx: x\n"},
      {"plain: several\n  words: on\nlater: value\n",
       "plain: several\n  words: on\nlater: value\n"},
      {"first_key: 1\nplain: several\n# c\n  words\n", "x: x\nplain: several\n# c\n  words\n"},
      {"first_key: 1\nlist_key: [aaaaaa,\n  bbbbbb]\n", "x: x\nlist_key: [aaaaaa,\n  bbbbbb]\n"},
      {"first_key: &anchor 1\n", "first_key: &anchor 1\n"},
      {"url_key: http://host:80/x#y\nb: 1\n", "x: x\nx: x\n"},
      {"\n\xEF\xBB\xBF a\n", "\n\xEF\xBB\xBF a\n"},  // no mark of an encoding
      {"- item_one: value\n  item_two: value\n- b\n", "- x: x\n  x: x\n- x\n"},
  };
  for (const Short& row : table) {
    CHECK(abridge(row.text).text == row.abridged);
    CHECK(verbatim(row.text).text == row.text);
  }
}

TEST_CASE("lines are told only of one document in which all are simple") {
  const Abridgement simple = abridge("# c\na:\n  b: |\n    t\n  c: 1\n- d\n");
  REQUIRE(simple.lines.size() == 4);
  CHECK(simple.lines[0].open);
  CHECK(simple.lines[1].indent == 2);
  CHECK(simple.text.substr(simple.lines[2].begin) == "  x: x\n- x\n");
  CHECK(simple.lines[3].item);
  CHECK(abridge("a: 1\n---\nb: 2\n").lines.empty());
  CHECK(abridge("a: 1\nb: [c,\n  d]\n").lines.empty());
}

TEST_CASE("places and words of the original are found again") {
  const std::string text = "# c\nhidden_size: 4096  # words\nother_key: value_two\nb: null\n";
  const Abridgement abridged = abridge(text);
  REQUIRE(abridged.text == "x: x\nx: x\nx: null\n");
  CHECK(abridged.original(0) == text.find("hidden"));
  CHECK(abridged.original(1) == text.find(": 4096"));
  CHECK(abridged.original(3) == text.find("4096"));
  CHECK(abridged.original(5) == text.find("other"));
  CHECK(abridged.original(8) == text.find("value_two"));
  CHECK(abridged.original(10) == text.find("b: null"));
  CHECK(abridged.word(text.find("hidden")) == "hidden_size");
  CHECK(abridged.word(text.find("value_two")) == "value_two");
  CHECK(abridged.word(text.find("null")).empty());

  const std::string quoted = "a: ' one '\nb: \"two\"\nc: \"\"\n";
  const Abridgement short_one = abridge(quoted);
  CHECK(short_one.original(short_one.text.find("x\nx")) == quoted.find('\''));
  CHECK(short_one.word(quoted.find('\'')) == " one ");
  CHECK(short_one.word(quoted.find('"')) == "two");
  CHECK(short_one.word(quoted.find("\"\"")).empty());
}

/// Lines that are likely to mean something together.
std::string random_recipe(std::mt19937& random) {
  static const std::vector<std::string> kLines = {"alpha_key: beta_value",
                                                  "- item_long",
                                                  "# comment",
                                                  "longer_key:",
                                                  "text_key: |",
                                                  "- folded: >-",
                                                  "deeper_text",
                                                  "quoted: 'x y'",
                                                  "",
                                                  "---",
                                                  "- key_one: two",
                                                  "- - nested_item",
                                                  "plain words here",
                                                  "url: http://a",
                                                  "c_key: d # rem",
                                                  "flow: {aaaaa: bbbbb}",
                                                  "open_flow: [ggggg",
                                                  "closed]",
                                                  "- ",
                                                  "empty: null",
                                                  "null:",
                                                  "'it': 'it''s'",
                                                  "~: tilde_value",
                                                  "tag_key: !!str 12345",
                                                  "literal: |2",
                                                  "kept: |+",
                                                  "true: false",
                                                  "Null:",
                                                  "number: -1"};
  std::string text;
  const auto pick = [&random](std::size_t size) {
    return std::uniform_int_distribution<std::size_t>(0, size - 1)(random);
  };
  const std::size_t lines = pick(4) == 0 ? kLines.size() : 5;  // most of them simple, or any
  for (std::size_t i = 1 + pick(8); i > 0; --i) {
    text += std::string(pick(3) * pick(3), ' ') + kLines[pick(lines)];
    text += pick(20) == 0 ? " # c\r\n" : "\n";
  }
  return text;
}

TEST_CASE("the short way and the long way give the same") {
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    const std::string text = random_recipe(random);
    CAPTURE(text);
    const text::SourceFile file("a.yaml", text);
    const Stream fast = parse(file);
    const Stream slow = parse_slowly(file);
    REQUIRE(trees_text(fast) == trees_text(slow));
    REQUIRE(problems_text(fast) == problems_text(slow));
  }
}

}  // namespace
}  // namespace epwise::yaml
