#include "ui/columns.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace epwise::report {

TEST_CASE("display width: letters one, wide two, combining none") {
  CHECK(display_width("model") == 5);
  CHECK(display_width("größe") == 5);
  CHECK(display_width("模型") == 4);
  CHECK(display_width("e\u0301") == 1);
  CHECK(display_width("🚀") == 2);
  CHECK(display_width("한글") == 4);
  CHECK(display_width("\u2192") == 1);
  CHECK(display_width("") == 0);
}

TEST_CASE("cells: tabs are four columns, everything dangerous is replaced") {
  const std::vector<Cell> drawn = cells("a\t\x1b\u202E\xff模", true);
  REQUIRE(drawn.size() == 6);
  CHECK(drawn[1].glyph == "    ");
  CHECK(drawn[1].width == 4);
  CHECK(drawn[2].glyph == "\uFFFD");
  CHECK(drawn[3].glyph == "\uFFFD");
  CHECK(drawn[4].glyph == "\uFFFD");
  CHECK(drawn[5].glyph == "模");
  CHECK(drawn[5].width == 2);
  CHECK(drawn[5].offset == 7);
}

TEST_CASE("cells: what is not UTF-8 counts byte by byte") {
  for (const char* text : {"\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\x80"}) {
    const std::string bytes = text;
    CAPTURE(bytes.size());
    CHECK(cells(bytes, true).size() == bytes.size());
    CHECK(cells(bytes, false).front().glyph == "?");
  }
}

TEST_CASE("printable: one line, no terminal codes, ASCII for our own signs when asked for") {
  CHECK(printable("a\nb\tc", true) == "a b c");
  CHECK(printable("\x1b[31mred", true) == "\uFFFD[31mred");
  CHECK(printable("4 × 8 ≥ 16 → no…", false) == "4 x 8 >= 16 -> no...");
  CHECK(printable("4 × 8 ≥ 16 → no…", true) == "4 × 8 ≥ 16 → no…");
  CHECK(printable("Größe 模型", false) == "Größe 模型");
}

TEST_CASE("wrap: no line starts a command of a CI system") {
  CHECK(wrap("one two ::stop-commands::t three", 8) ==
        std::vector<std::string>{"one two ::stop-commands::t", "three"});
  CHECK(wrap("one two ##[group]t", 8).back() == "one two ##[group]t");
}

TEST_CASE("wrap: at blanks, never inside a word") {
  using Lines = std::vector<std::string>;
  CHECK(wrap("one two three", 7) == Lines{"one two", "three"});
  CHECK(wrap("one two three", 80) == Lines{"one two three"});
  CHECK(wrap("a expert_model_parallel_size b", 6) == Lines{"a", "expert_model_parallel_size", "b"});
  CHECK(wrap("模型 模型 模型", 9) == Lines{"模型 模型", "模型"});
  CHECK(wrap("", 10) == Lines{""});
  CHECK(wrap("   ", 10) == Lines{""});
}

}  // namespace epwise::report
