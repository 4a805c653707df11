#include "yaml/edit.h"

#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "yaml/parse.h"
#include "yaml/scalar.h"

namespace epwise::yaml {

namespace {

Literal list(const std::vector<std::string>& items) {
  std::vector<Literal> literals;
  for (const std::string& item : items) {
    literals.push_back(Literal::of_text(item));
  }
  return Literal::of_list(std::move(literals));
}

Literal number(int value) {
  return Literal::of(std::int64_t{value});
}

/// "model/num_layers" → keys.
std::vector<std::string> keys(const std::string& path) {
  std::vector<std::string> all;
  std::istringstream in(path);
  for (std::string key; std::getline(in, key, '/');) {
    all.push_back(key);
  }
  return all;
}

Edit set(const std::string& path, Literal value) {
  return {keys(path), std::move(value)};
}

Edit remove(const std::string& path) {
  return {keys(path), std::nullopt};
}

std::string edited(const std::string& text, const std::vector<Edit>& edits, int document = 1) {
  const text::SourceFile file("a.yaml", text);
  const Edited result = edit(file, document, edits);
  if (!result.refusal) {
    return result.text;
  }
  CHECK(result.text == text);
  const auto where = result.refusal->mark.start();
  return std::to_string(where.line) + ":" + std::to_string(where.column) + ": " +
         result.refusal->reason;
}

struct Row {
  std::string before;
  std::vector<Edit> edits;
  std::string after;
};

void check_edits(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    CAPTURE(row.before);
    CHECK(edited(row.before, row.edits) == row.after);
  }
}

}  // namespace

TEST_CASE("a scalar is replaced where it stands") {
  check_edits({
      {"a: 1\n", {set("a", number(2))}, "a: 2\n"},
      {"a: 1", {set("a", number(2))}, "a: 2"},
      {"# x\nm:\n  a:   1   # why\n  b: 2\n",
       {set("m/a", number(64))},
       "# x\nm:\n  a:   64   # why\n  b: 2\n"},
      {"m: {a: 1, b: 2}  # c\r\n", {set("m/b", number(3))}, "m: {a: 1, b: 3}  # c\r\n"},
      {"a: 'x'\n", {set("a", Literal::of_text("y"))}, "a: 'y'\n"},
      {"a: \"x\"\n", {set("a", Literal::of_text("y"))}, "a: \"y\"\n"},
      {"a: x\n", {set("a", Literal::of_text("yes"))}, "a: \"yes\"\n"},
      {"a: x\n", {set("a", Literal::of_text("it's: # so"))}, "a: \"it's: # so\"\n"},
      {"a: 'x'\n", {set("a", Literal::of_text("it's"))}, "a: 'it''s'\n"},
      {"a: 'x'\n", {set("a", number(8))}, "a: 8\n"},
      {"a: x\n", {set("a", Literal{})}, "a: null\n"},
      {"a: 1\n", {set("a", Literal::of(1e-6))}, "a: 1.0e-06\n"},
      {"a: 1\n", {set("a", Literal::of(2.0))}, "a: 2.0\n"},
      {"a: false\n", {set("a", Literal::of(true))}, "a: true\n"},
      {"a:\n", {set("a", number(1))}, "a: 1\n"},
      {"a:   # why\nb: 1\n", {set("a", number(1))}, "a: 1   # why\nb: 1\n"},
      {"a: ~\n", {set("a", number(1))}, "a: 1\n"},
      {"{a, b: 1}\n", {set("a", number(1))}, "{a: 1, b: 1}\n"},
      {"a: [1, 2]\n", {set("a", number(1))}, "a: 1\n"},
      {"a:\n- 1\n- 2\nb: 1\n", {set("a", Literal{})}, "a: null\nb: 1\n"},
      {"\"a\": 1\n", {set("a", number(2))}, "\"a\": 2\n"},
      {"\xEF\xBB\xBF"
       "a: 1\n",
       {set("a", number(2))},
       "\xEF\xBB\xBF"
       "a: 2\n"},
      {"a: 1\n", {set("a", number(1))}, "a: 1\n"},
      {"a: 0x8\n", {set("a", number(8))}, "a: 0x8\n"},
  });
}

TEST_CASE("a key gets another name, and what it holds stays as it is") {
  const auto rename = [](const std::string& path, const std::string& name) {
    return Edit{keys(path), std::nullopt, name};
  };
  check_edits({
      {"a: 1  # one\nb: 2\n", {rename("a", "c")}, "c: 1  # one\nb: 2\n"},
      {"m:\n  a: {x: [1, 2]}  # why\n",
       {rename("m/a", "long_name")},
       "m:\n  long_name: {x: [1, 2]}  # why\n"},
      {"m: {a: 1, b: 2}\n", {rename("m/b", "--c")}, "m: {a: 1, --c: 2}\n"},
      {"\"a\": 1\n'b': 2\n", {rename("a", "c"), rename("b", "d")}, "\"c\": 1\n'd': 2\n"},
      {"a: &x 1\nb: *x\n", {rename("a", "c")}, "c: &x 1\nb: *x\n"},
      {"a:\n- 1\nb: |\n  text\n", {rename("b", "c")}, "a:\n- 1\nc: |\n  text\n"},
      {"a: 1\nb: 2\n", {rename("a", "b")}, "1:1: `b` already exists there"},
      {"a: 1\n", {rename("b", "c")}, "a: 1\n"},
  });
}

TEST_CASE("words that take the place of words need no second look, and give what it would give") {
  const std::string text =
      "a: 8  # eight\nb: {c: null, d: [1, 2]}\ne:\n- 1e-5\n- x\nf: -1\ng: 'q'\nh: ~\ni: a b\n";
  const std::string anchor = "# &\n";  // has everything parsed again
  const std::vector<std::vector<Edit>> cases = {
      {set("a", number(16))},
      {set("b/c", number(-2)), set("a", Literal::of(0.5))},
      {set("a", number(1)), set("a", number(2))},
      {set("f", Literal::of_text("alltoall")), set("a", Literal::of(true)), set("b/c", number(3))},
      {set("g", Literal::of_text("r")), set("a", number(1))},
      {set("h", number(1)), set("f", number(1))},
      {set("i", Literal::of_text("- c"))},
      {set("i", Literal::of_text("c")), set("z", number(1))},
      {set("f", Literal::of_text("null")), remove("a")},
      {set("f", Literal{}), set("a", Literal::of_text("1"))},
  };
  for (const auto& edits : cases) {
    CHECK(edited(text, edits) + anchor == edited(text + anchor, edits));
  }
}

TEST_CASE("words of MODEL_ARGS keep their quotes, and need none for numbers") {
  check_edits({
      {"M:\n  --tp: 4\n  --x: \"4\"\n",
       {set("M/--tp", Literal::of_word("8")), set("M/--x", Literal::of_word("8"))},
       "M:\n  --tp: 8\n  --x: \"8\"\n"},
      {"M:\n  --tp: 4\n",
       {set("M/--swiglu", Literal::of_word("true"))},
       "M:\n  --tp: 4\n  --swiglu: true\n"},
      {"M:\n  --tp: 4\n",
       {set("M/--mods", Literal::of_word("[attn moe]"))},
       "M:\n  --tp: 4\n  --mods: \"[attn moe]\"\n"},
      {"M: {--tp: 4}\n", {set("M/--pp", Literal::of_word("2"))}, "M: {--tp: 4, --pp: 2}\n"},
      {"M:\n  \"--tp\": 4\n",
       {set("M/--pp", Literal::of_word("2"))},
       "M:\n  \"--tp\": 4\n  \"--pp\": 2\n"},
      {"M:\n  --a: 1\n  --b: 2\n", {remove("M/--a")}, "M:\n  --b: 2\n"},
  });
}

TEST_CASE("lists change item by item") {
  check_edits({
      {"a: [x, 'y', z]  # c\n", {set("a", list({"x", "y"}))}, "a: [x, 'y']  # c\n"},
      {"a: [x,y]\n", {set("a", list({"y", "w"}))}, "a: [y,w]\n"},
      {"a: [x]\n", {set("a", list({}))}, "a: []\n"},
      {"a: x\n", {set("a", list({"x", "y"}))}, "a: [x, y]\n"},
      {"a:\n- x  # one\n- y\nb: 1\n", {set("a", list({"x"}))}, "a:\n- x  # one\nb: 1\n"},
      {"a:\n  - x\n  - y", {set("a", list({"x", "y", "z"}))}, "a:\n  - x\n  - y\n  - z"},
      {"a:\n  - 'x'\n  - y\n", {set("a", list({"y", "z"}))}, "a:\n  - y\n  - 'z'\n"},
      {"a:\n- x\n- y\nb: 1\n", {set("a", list({}))}, "a: []\nb: 1\n"},
      {"a:\n- x\n- y\nb: 1\n", {set("a", list({"w"}))}, "a:\n- w\nb: 1\n"},
      {"a:\n- k: x\n  l: y\nb: 1\n", {set("a", list({"w", "v"}))}, "a: [w, v]\nb: 1\n"},
  });
}

TEST_CASE("a key is added in the style of its neighbours") {
  check_edits({
      {"m:\n  a: 1  # x\nn: 1\n", {set("m/b", number(2))}, "m:\n  a: 1  # x\n  b: 2\nn: 1\n"},
      {"m:\n    a: 1\n", {set("m/b", number(2))}, "m:\n    a: 1\n    b: 2\n"},
      {"m:\n  a: 1", {set("m/b", number(2))}, "m:\n  a: 1\n  b: 2"},
      {"m:\r\n  a: 1\r\nn: 1\r\n", {set("m/b", number(2))}, "m:\r\n  a: 1\r\n  b: 2\r\nn: 1\r\n"},
      {"m: {a: 1}\n", {set("m/b", number(2))}, "m: {a: 1, b: 2}\n"},
      {"m: {a: 1,}\n", {set("m/b", number(2))}, "m: {a: 1, b: 2,}\n"},
      {"m: {}\n", {set("m/b", number(2))}, "m: {b: 2}\n"},
      {"m: {\n  a: 1,  # x\n}\n", {set("m/b", number(2))}, "m: {\n  a: 1, b: 2,  # x\n}\n"},
      {"m:\nn: 1\n", {set("m/b", number(2))}, "m: {b: 2}\nn: 1\n"},
      {"m: null\n", {set("m/b", number(2))}, "m: {b: 2}\n"},
      {"m:\n    a: 1\n", {set("n/b", number(2))}, "m:\n    a: 1\nn:\n    b: 2\n"},
      {"{m: {a: 1}}\n", {set("n/b", number(2))}, "{m: {a: 1}, n: {b: 2}}\n"},
      {"m:\n  a: 1\n  # tail\n", {set("m/b", number(2))}, "m:\n  a: 1\n  b: 2\n  # tail\n"},
      {"m:\n  a: |\n    x\n    y\nn: 1\n",
       {set("m/b", number(2))},
       "m:\n  a: |\n    x\n    y\n  b: 2\nn: 1\n"},
      {"m:\n  a:\n    - 1\n    - 2  # x\n",
       {set("m/b", number(2))},
       "m:\n  a:\n    - 1\n    - 2  # x\n  b: 2\n"},
      {"m:\n  a:   # x\n", {set("m/b", number(2))}, "m:\n  a:   # x\n  b: 2\n"},
      {"m:\n  a: 1\n",
       {set("m/b", number(2)), set("m/c", number(3))},
       "m:\n  a: 1\n  b: 2\n  c: 3\n"},
      {"m:\n  a: 1\n",
       {set("n/b", number(2)), set("n/c", number(3))},
       "m:\n  a: 1\nn:\n  b: 2\n  c: 3\n"},
  });
}

TEST_CASE("sorted keys stay sorted") {
  check_edits({
      {"m:\n  a: 1\n  b: 1\n  # of d\n  d: 1\n  e: 1\n",
       {set("m/c", number(2))},
       "m:\n  a: 1\n  b: 1\n  c: 2\n  # of d\n  d: 1\n  e: 1\n"},
      {"m:\n  b: 1\n  c: 1\n  d: 1\n  e: 1\n",
       {set("m/a", number(2))},
       "m:\n  a: 2\n  b: 1\n  c: 1\n  d: 1\n  e: 1\n"},
      {"m:\n  a: 1\n  d: 1\n", {set("m/c", number(2))}, "m:\n  a: 1\n  d: 1\n  c: 2\n"},
  });
}

TEST_CASE("a key goes with its line and the comment behind it") {
  check_edits({
      {"# x\nm:\n  a: 1  # why\n  # of b\n  b: 2\n",
       {remove("m/a")},
       "# x\nm:\n  # of b\n  b: 2\n"},
      {"m:\n  a: 1\n  b: 2", {remove("m/b")}, "m:\n  a: 1"},
      {"m:\n  a: 1\nn: 2\n", {remove("m/a")}, "m: {}\nn: 2\n"},
      {"m:\n  a: 1\nn: 2\n", {remove("m")}, "n: 2\n"},
      {"m:  # x\n  a: [1,\n    2]\nn: 2\n", {remove("m/a")}, "m: {}  # x\nn: 2\n"},
      {"m: {a: 1, b: 2, c: 3}\n", {remove("m/a")}, "m: {b: 2, c: 3}\n"},
      {"m: {a: 1, b: 2, c: 3}\n", {remove("m/b")}, "m: {a: 1, c: 3}\n"},
      {"m: {a: 1, b: 2, c: 3}\n", {remove("m/c")}, "m: {a: 1, b: 2}\n"},
      {"m: {a: 1}\n", {remove("m/a")}, "m: {}\n"},
      {"m:\n  a: |\n    x\n  b: 2\n", {remove("m/a")}, "m:\n  b: 2\n"},
      {"m:\n  a:  # x\n  b: 2\n", {remove("m/a")}, "m:\n  b: 2\n"},
      {"m:\n  b: 2\n", {remove("m/a")}, "m:\n  b: 2\n"},
      {"m:\r\n  a: 1\r\n  b: 2\r\n", {remove("m/b")}, "m:\r\n  a: 1\r\n"},
  });
}

TEST_CASE("what can't be changed alone is refused with its place") {
  check_edits({
      {"m: &x {a: 1}\nn: *x\n",
       {set("n/a", number(2))},
       "2:4: there is an alias here: the value is at its anchor"},
      {"m: &x {a: 1}\nn: *x\n",
       {set("m/a", number(2))},
       "1:11: this value cannot be changed on its own: an alias or the layout ties it to others"},
      {"m: &x 1\nn: *x\n",
       {remove("m")},
       "1:1: this value cannot be changed on its own: an alias or the layout ties it to others"},
      {"d: &x {a: 1}\nm:\n  <<: *x\n  b: 1\n",
       {set("m/a", number(2))},
       "3:7: `a` comes in through a merge key"},
      {"a: 1\na: 2\n", {set("a", number(3))}, "2:1: `a` appears twice here"},
      {"m:\n\ta: 1\n",
       {set("m/a", number(3))},
       "2:1: the file contains tabs, which PyYAML rejects"},
      {"a: x\n  y\n", {set("a", number(3))}, "1:4: the value spans several lines"},
      {"a: |\n  x\n", {set("a", number(3))}, "1:4: the value spans several lines"},
      {"a: \"x\n  y\"\n", {set("a", number(3))}, "1:4: the value spans several lines"},
      {"a: !!str 1\n", {set("a", number(3))}, "1:10: the value carries the tag !!str"},
      {"a: {b: 1}\n", {set("a", number(3))}, "1:4: there is a whole section here"},
      {"a: 1\n", {set("a/b", number(3))}, "1:4: `a` has no keys"},
      {"a: [1,\n 2]\n", {set("a", list({"x"}))}, "1:4: the list spans several lines"},
      {"a:\n- k: x  # why\n  l: y\n",
       {set("a", list({"w"}))},
       "2:1: the list contains comments, anchors or tags that would be lost"},
      {"a:\n- 1  # x\n- 2\n",
       {set("a", list({}))},
       "2:1: the list contains comments, anchors or tags that would be lost"},
      {"a: 1\n", {remove("a")}, "1:1: the mapping would become empty"},
      {"- a\n", {set("a", number(1))}, "1:1: the document contains no mapping of keys to values"},
      {"a: [\n", {set("a", number(1))}, "1:4: the file is not complete YAML"},
      {"m: {a: 1, # x\n  b: 2}\n",
       {remove("m/b")},
       "2:3: there are comments between this key and the next"},
      {"a: 1\nb: x\n  y\n",
       {set("c", number(1)), set("b", number(3))},
       "2:4: the value spans several lines"},
  });
}

TEST_CASE("only the document that is named changes") {
  const std::string text = "a: 1\n---\na: 1\n---\na: 1\n";
  CHECK(edited(text, {set("a", number(2))}, 2) == "a: 1\n---\na: 2\n---\na: 1\n");
  CHECK(edited(text, {set("b", number(2))}, 2) == "a: 1\n---\na: 1\nb: 2\n---\na: 1\n");
}

TEST_CASE("the splices lead from the old text to the new one") {
  const text::SourceFile file("a.yaml", "m:\n  a: 1\n");
  const Edited result = edit(file, 1, {set("m/b", number(2)), remove("m/a"), remove("m/b")});
  REQUIRE_FALSE(result.refusal);
  std::string text(file.bytes());
  for (const Splice& splice : result.splices) {
    text.replace(splice.begin, splice.size, splice.text);
  }
  CHECK(text == result.text);
  CHECK(text == "m: {}\n");
}

TEST_CASE("every literal is read back by every loader") {
  for (const Literal& literal : {Literal{},
                                 Literal::of(true),
                                 number(-3),
                                 Literal::of(1e22),
                                 Literal::of(1.5e-7),
                                 Literal::of(-0.5),
                                 Literal::of_text(""),
                                 Literal::of_text("null"),
                                 Literal::of_text("1e-6"),
                                 Literal::of_text("1:30"),
                                 Literal::of_text("a\nb\x01\"\\"),
                                 Literal::of_text("a \xC2\x85\xC2\x80 b"),
                                 Literal::of_text("a \xE2\x80\xA8 b\xE2\x80\xA9"),
                                 Literal::of_text("\xEF\xBB\xBF\xEF\xBF\xBE\xEF\xBF\xBF\xC3\xA4"),
                                 Literal::of_text("---"),
                                 list({"a b", "c,d", "off"})}) {
    const std::string text = "a: " + render(literal) + "\n";
    CAPTURE(text);
    const text::SourceFile file("a.yaml", text);
    const Stream stream = parse(file);
    REQUIRE(stream.readable);
    CHECK(matches(stream.documents.front().root.entries.front().value, literal));
  }
}

}  // namespace epwise::yaml
