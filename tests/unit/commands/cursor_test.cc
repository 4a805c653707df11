#include "commands/lsp/cursor.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using epwise::lsp::Cursor;
using epwise::lsp::cursor_at;
using Place = epwise::lsp::Cursor::Place;
using Path = std::vector<std::string>;

namespace {

struct Found {
  Cursor cursor;
  std::string replaced;
};

/// `|` stands where the cursor is.
Found at(std::string text) {
  const std::size_t offset = text.find('|');
  text.erase(offset, 1);
  const epwise::text::SourceFile file("a.yaml", text);
  Found found{cursor_at(file, offset), {}};
  found.replaced = text.substr(found.cursor.begin, found.cursor.end - found.cursor.begin);
  return found;
}

}  // namespace

TEST_CASE("A key has the keys above it and its neighbours") {
  const auto found = at("train:\n  x: 1\nmodel:\n  a: 1\n  # b: 2\n  moe_t|\n  c: 3\nddp:\n");
  CHECK(found.cursor.place == Place::key);
  CHECK(found.cursor.path == Path{"model"});
  CHECK(found.cursor.word == "moe_t");
  CHECK(found.replaced == "moe_t");
  CHECK(found.cursor.siblings == Path{"a", "c"});
  CHECK_FALSE(found.cursor.has_colon);
}

TEST_CASE("What stands where") {
  struct Row {
    std::string text;
    Place place;
    Path path;
    std::string word;
    std::string replaced;
  };

  for (const Row& row :
       {Row{"|", Place::key, {}, "", ""},
        Row{"mod|", Place::key, {}, "mod", "mod"},
        Row{"model:\n  |", Place::key, {"model"}, "", ""},
        Row{"model:\n  a: 1\n|", Place::key, {}, "", ""},
        Row{"model:\r\n  a|: 1\r\n", Place::key, {"model"}, "a", "a"},
        Row{"model:\n  a: t|rue # why\n", Place::value, {"model", "a"}, "t", "true"},
        Row{"model:\n  a: |\n", Place::value, {"model", "a"}, "", ""},
        Row{"model:\n  a:|\n", Place::nothing, {}, "", ""},
        Row{"model:\n  a: 'fl|ex'\n", Place::value, {"model", "a"}, "fl", "'flex'"},
        Row{"model:\n  a: [x, y|z, w]\n", Place::value, {"model", "a"}, "y", "yz"},
        Row{"model:\n  a: [|]\n", Place::value, {"model", "a"}, "", ""},
        Row{"model:\n  a:\n  - x|y\n", Place::value, {"model", "a"}, "x", "xy"},
        Row{"model:\n  a:\n    - x\n    - |\n", Place::value, {"model", "a"}, "", ""},
        Row{"model:\n  t:\n    b|\n", Place::key, {"model", "t"}, "b", "b"},
        Row{"\"model\":\n  'a': x|\n", Place::value, {"model", "a"}, "x", "x"},
        Row{"MODEL_ARGS:\n  --num-e|\n", Place::key, {"MODEL_ARGS"}, "--num-e", "--num-e"},
        Row{"a: 1\n---\nmodel:\n  b|\n", Place::key, {"model"}, "b", "b"},
        Row{"model:\n  a: 1 # some|\n", Place::nothing, {}, "", ""},
        Row{"model:\n  # some|\n", Place::nothing, {}, "", ""},
        Row{"model:\n  a: {b: |}\n", Place::nothing, {}, "", ""},
        Row{"model:\n  - a: 1\n    b|\n", Place::nothing, {}, "", ""},
        Row{"---|\n", Place::nothing, {}, "", ""}}) {
    CAPTURE(row.text);
    const auto found = at(row.text);
    CHECK(found.cursor.place == row.place);
    CHECK(found.cursor.path == row.path);
    CHECK(found.cursor.word == row.word);
    if (row.place != Place::nothing) {
      CHECK(found.replaced == row.replaced);
    }
  }
}

TEST_CASE("Any place of any text has an answer") {
  const std::string text = "a:\n - b: [\n'x\": #\n\t--- {\r\r\n:\n\"k\":v\n-\n";
  const epwise::text::SourceFile file("a.yaml", text);
  for (std::size_t offset = 0; offset <= text.size() + 1; ++offset) {
    const Cursor cursor = cursor_at(file, offset);
    CHECK(cursor.begin <= cursor.end);
    CHECK(cursor.end <= text.size());
  }
}
