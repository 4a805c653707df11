#include "ui/snippet.h"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace epwise::report {
namespace {

text::Mark mark(const text::SourceFile& file, std::string_view words) {
  const std::size_t at = file.bytes().find(words);
  REQUIRE(at != std::string_view::npos);
  return {&file, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + words.size())};
}

std::string draw(const std::vector<SnippetLabel>& labels, const Style& style = {}) {
  return '\n' + render_snippet(labels,
                               gutter_width(labels),
                               lint::Severity::error,
                               style,
                               Paint(style.colour, style.hyperlinks));
}

const char* const kSnippetRecipe =
    "model:\n"
    "  num_layers: 4\n"
    "  dispatcher: flex\n"
    "  backend: deepep\n"
    "  num_sms: 16\n"
    "\n"
    "  modules:\n"
    "    - attn\n"
    "    - mlp\n"
    "train: {gbs: 1000, mbs: 1}\n";

}  // namespace

TEST_CASE("snippet: one mark") {
  const text::SourceFile file("a.yaml", kSnippetRecipe);
  CHECK(draw({{mark(file, "deepep"), "not on this GPU", true}}) == R"(
 --> a.yaml:4:12
  |
4 |   backend: deepep
  |            ^^^^^^ not on this GPU
  |
)");
}

TEST_CASE("snippet: a mark without words") {
  const text::SourceFile file("a.yaml", kSnippetRecipe);
  CHECK(draw({{mark(file, "1000"), "", true}}) == R"(
  --> a.yaml:10:14
   |
10 | train: {gbs: 1000, mbs: 1}
   |              ^^^^
   |
)");
}

TEST_CASE("snippet: neighbouring lines, the arrow names the primary one") {
  const text::SourceFile file("a.yaml", kSnippetRecipe);
  CHECK(draw({{mark(file, "deepep"), "not on this GPU", true},
              {mark(file, "flex"), "flex selects the backend", false}}) == R"(
 --> a.yaml:4:12
  |
3 |   dispatcher: flex
  |               ---- flex selects the backend
4 |   backend: deepep
  |            ^^^^^^ not on this GPU
  |
)");
}

TEST_CASE("snippet: one line between two is shown, more are dots") {
  const text::SourceFile file("a.yaml", kSnippetRecipe);
  CHECK(draw({{mark(file, "flex"), "first", true},
              {mark(file, "16"), "second", false},
              {mark(file, "1000"), "third", false}}) == R"(
  --> a.yaml:3:15
   |
 3 |   dispatcher: flex
   |               ^^^^ first
 4 |   backend: deepep
 5 |   num_sms: 16
   |            -- second
...
10 | train: {gbs: 1000, mbs: 1}
   |              ---- third
   |
)");
}

TEST_CASE("snippet: several marks in one line hang their words below") {
  const text::SourceFile file("a.yaml", kSnippetRecipe);
  CHECK(
      draw(
          {{mark(file, "1000"), "is not a multiple of 32", true},
           {mark(file, "1}").file == nullptr ? text::Mark{} : mark(file, "mbs"), "this one", false},
           {mark(file, "train"), "in here", false}}) == R"(
  --> a.yaml:10:14
   |
10 | train: {gbs: 1000, mbs: 1}
   | -----        ^^^^  --- this one
   | |            |
   | |            is not a multiple of 32
   | in here
   |
)");
}

TEST_CASE("snippet: two labels of one place are one") {
  const text::SourceFile file("a.yaml", kSnippetRecipe);
  CHECK(
      draw({{mark(file, "1000"), "too odd", true}, {mark(file, "1000"), "written here", false}}) ==
      R"(
  --> a.yaml:10:14
   |
10 | train: {gbs: 1000, mbs: 1}
   |              ^^^^ too odd; written here
   |
)");
}

TEST_CASE("snippet: what one place is called twice is said once") {
  const text::SourceFile file("a.yaml", kSnippetRecipe);
  CHECK(draw({{mark(file, "1000"), "too odd", true},
              {mark(file, "1000"), "too odd", false},
              {mark(file, "1000"), "", false}}) ==
        R"(
  --> a.yaml:10:14
   |
10 | train: {gbs: 1000, mbs: 1}
   |              ^^^^ too odd
   |
)");
}

TEST_CASE("snippet: a mark inside another keeps its carets") {
  const text::SourceFile file("a.yaml", kSnippetRecipe);
  CHECK(draw({{mark(file, "1000"), "this", true},
              {mark(file, "{gbs: 1000, mbs: 1}"), "in", false}}) ==
        R"(
  --> a.yaml:10:14
   |
10 | train: {gbs: 1000, mbs: 1}
   |        ------^^^^---------
   |        |     |
   |        |     this
   |        in
   |
)");
}

TEST_CASE("snippet: several files, the primary one first") {
  const text::SourceFile recipe("a.yaml", kSnippetRecipe);
  const text::SourceFile words("<command line>", "model.backend=deepep");
  CHECK(draw({{mark(words, "deepep"), "", true}, {mark(recipe, "flex"), "with this", false}}) == R"(
 --> <command line>:1:15
  |
1 | model.backend=deepep
  |               ^^^^^^
  |
 ::: a.yaml:3:15
  |
3 |   dispatcher: flex
  |               ---- with this
  |
)");
}

TEST_CASE("snippet: tabs and wide characters keep the carets below their text") {
  const text::SourceFile file("模型.yaml", "\tname: 模型, size: 8\n\t\tx: e\u0301 9\n");
  CHECK(draw({{mark(file, "8"), "here", true},
              {mark(file, "模型"), "and here", false},
              {mark(file, "9"), "and there", false}}) == R"(
 --> 模型.yaml:1:18
  |
1 |     name: 模型, size: 8
  |           ----        ^ here
  |           and here
)"
                                                         "2 |         x: e\u0301 9\n"
                                                         R"(  |              - and there
  |
)");
}

TEST_CASE("snippet: what could fool a terminal is replaced") {
  const text::SourceFile file("a.yaml", "x: \x1b[2J8\n");
  CHECK(draw({{mark(file, "8"), "", true}}) ==
        "\n"
        " --> a.yaml:1:8\n"
        "  |\n"
        "1 | x: \uFFFD[2J8\n"
        "  |        ^\n"
        "  |\n");
}

TEST_CASE("snippet: a mark of length 0 is one caret, also behind the end") {
  const text::SourceFile file("a.yaml", "model:");
  CHECK(draw({{{&file, 6, 6}, "a value belongs here", true}}) == R"(
 --> a.yaml:1:7
  |
1 | model:
  |       ^ a value belongs here
  |
)");
  const text::SourceFile empty("empty.yaml", "");
  CHECK(draw({{{&empty, 0, 0}, "nothing here", true}}) == R"(
 --> empty.yaml:1:1
  |
1 |
  | ^ nothing here
  |
)");
}

TEST_CASE("snippet: a mark over some lines is underlined line by line") {
  const text::SourceFile file("a.yaml", kSnippetRecipe);
  CHECK(draw({{mark(file, "- attn\n    - mlp\n"), "both", true}}) == R"(
 --> a.yaml:8:5
  |
8 |     - attn
  |     ^^^^^^
9 |     - mlp
  |     ^^^^^ both
  |
)");
}

TEST_CASE("snippet: of a mark over many lines only the first is shown") {
  const text::SourceFile file("a.yaml", kSnippetRecipe);
  CHECK(draw({{{&file, 0, static_cast<std::uint32_t>(file.bytes().size())},
               "backend is missing",
               true}}) ==
        R"(
 --> a.yaml:1:1
  |
1 | model:
  | ^^^^^^ backend is missing
...
  |
)");
}

TEST_CASE("snippet: a long line is cut around its first mark") {
  const std::string text =
      "list: [" + std::string(300, 'a') + ", WRONG, " + std::string(300, 'b') + "]\n";
  const text::SourceFile file("a.yaml", text);
  CHECK(draw({{mark(file, "WRONG"), "this one", true}}, {.width = 50}) == R"(
 --> a.yaml:1:310
  |
1 | …aaaaaaaaaaaaaaaaa, WRONG, bbbbbbbbbbbbbbbbbb…
  |                     ^^^^^ this one
  |
)");
  CHECK(draw({{mark(file, "WRONG"), "this one", true}}, {.unicode = false, .width = 50}) == R"(
 --> a.yaml:1:310
  |
1 | ...aaaaaaaaaaaaaaa, WRONG, bbbbbbbbbbbbbbbb...
  |                     ^^^^^ this one
  |
)");
  CHECK(
      draw({{mark(file, "list"), "", true}, {mark(file, "]"), "far away", false}}, {.width = 50}) ==
      R"(
 --> a.yaml:1:1
  |
1 | list: [aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…
  | ^^^^                                         -
  |                                       far away
  |
)");
  CHECK(draw({{mark(file, "]"), "the end", true}}, {.width = 50}) == R"(
 --> a.yaml:1:617
  |
1 | …bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb]
  |                                              ^
  |                                        the end
  |
)");
}

TEST_CASE("snippet: a file that is one huge line costs no more than another") {
  std::string text(8U << 20U, 'x');
  text.replace(4U << 20U, 5, "WRONG");
  const text::SourceFile file("a.yaml", text);
  const std::string drawn = draw({{mark(file, "WRONG"), "", true}}, {.width = 60});
  CHECK(drawn.size() < 300);
  CHECK(drawn.find("xWRONGx") != std::string::npos);
}

TEST_CASE("snippet: no line is wider than the terminal") {
  const text::SourceFile file("a.yaml", kSnippetRecipe);
  const std::string words =
      "many words that do not fit behind the carets and go on in the next row";
  for (const int width : {40, 60, 80, 120}) {
    const std::string drawn = draw(
        {{mark(file, "mbs"), words, true}, {mark(file, "train"), words, false}}, {.width = width});
    std::size_t begin = 0;
    for (std::size_t end = drawn.find('\n'); end != std::string::npos;
         end = drawn.find('\n', begin)) {
      CAPTURE(drawn);
      CHECK(end - begin <= static_cast<std::size_t>(width));
      begin = end + 1;
    }
  }
}

TEST_CASE("snippet: colours wrap the marks and nothing else") {
  const text::SourceFile file("a.yaml", "x: 8\n");
  CHECK(draw({{mark(file, "8"), "bad", true}}, {.colour = true}) ==
        "\n"
        " \x1b[94m-->\x1b[0m a.yaml:1:4\n"
        "  \x1b[94m|\x1b[0m\n"
        "\x1b[94m1 |\x1b[0m x: 8\n"
        "  \x1b[94m|\x1b[0m    \x1b[1;31m^ bad\x1b[0m\n"
        "  \x1b[94m|\x1b[0m\n");
}

TEST_CASE("snippet: labels that are nowhere are left out") {
  CHECK(draw({{{}, "a default", true}}) == "\n");
}

}  // namespace epwise::report
