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
      {"hidden_size: 4096  # words\nb: c\n", "x: 4096\nb: c\n"},
      {"# c\nmodel:  # c\n\n  layers: alltoall\n- b\n", "x:\n  x: x\n- b\n"},
      {"first: 'quoted'\nsecond: -12345\nlast: 1\n", "x: 'quoted'\nx: x\nlast: 1\n"},
      {"long_key: |\n  some: text\n # t\nother: a\nlast: 1\n",
       "x: |\n  some: text\n # t\nx: a\nlast: 1\n"},
      {"plain: several\n  words: on\nlater: value\n",
       "plain: several\n  words: on\nlater: value\n"},
      {"first_key: 1\nplain: several\n# c\n  words\n", "x: 1\nplain: several\n# c\n  words\n"},
      {"first_key: 1\nlist_key: [aaaaaa,\n  bbbbbb]\n", "x: 1\nlist_key: [aaaaaa,\n  bbbbbb]\n"},
      {"first_key: &anchor 1\n", "first_key: &anchor 1\n"},
      {"url_key: http://host:80/x#y\nb: 1\n", "x: x\nb: 1\n"},
      {"\n\xEF\xBB\xBF a\n", "\n\xEF\xBB\xBF a\n"},  // no mark of an encoding
      {"- item_one: value\n  item_two: value\n- b\n", "- x: x\n  x: x\n- b\n"},
  };
  for (const Short& row : table) {
    CHECK(abridge(row.text).text == row.abridged);
    CHECK(verbatim(row.text).text == row.text);
  }
}

TEST_CASE("places and words of the original are found again") {
  const std::string text = "# c\nhidden_size: 4096  # words\nother_key: value_two\nb: c\n";
  const Abridgement abridged = abridge(text);
  REQUIRE(abridged.text == "x: 4096\nx: x\nb: c\n");
  CHECK(abridged.original(0) == text.find("hidden"));
  CHECK(abridged.original(1) == text.find(": 4096"));
  CHECK(abridged.original(3) == text.find("4096"));
  CHECK(abridged.original(8) == text.find("other"));
  CHECK(abridged.original(11) == text.find("value_two"));
  CHECK(abridged.original(13) == text.find("b: c"));
  CHECK(abridged.word(text.find("hidden")) == "hidden_size");
  CHECK(abridged.word(text.find("value_two")) == "value_two");
  CHECK(abridged.word(text.find("4096")).empty());
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
                                                  "tag_key: !!str 12345"};
  std::string text;
  const auto pick = [&random](std::size_t size) {
    return std::uniform_int_distribution<std::size_t>(0, size - 1)(random);
  };
  for (std::size_t i = 1 + pick(8); i > 0; --i) {
    text += std::string(pick(3) * pick(3), ' ') + kLines[pick(kLines.size())];
    text += pick(20) == 0 ? " # c\r\n" : "\n";
  }
  return text;
}

TEST_CASE("the short way and the long way give the same") {
  std::mt19937 random(3);
  for (int i = 0; i < 3000; ++i) {
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
