#include "commands/lsp/position.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "commands/lsp/server.h"

using epwise::lsp::Change;
using epwise::lsp::Document;
using epwise::lsp::Encoding;
using epwise::lsp::Position;
using epwise::lsp::Range;
using epwise::text::SourceFile;

namespace {

const std::string kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

TEST_CASE("Characters are counted in the units that were agreed upon") {
  const SourceFile file("a.yaml", "a: 😀é x\r\nb: 1\rc: 2\n");

  struct Row {
    std::size_t offset;
    Position utf8;
    Position utf16;
    Position utf32;
  };

  for (const Row& row : {Row{0, {0, 0}, {0, 0}, {0, 0}},
                         Row{3, {0, 3}, {0, 3}, {0, 3}},
                         Row{7, {0, 7}, {0, 5}, {0, 4}},      // behind the emoji
                         Row{9, {0, 9}, {0, 6}, {0, 5}},      // behind é
                         Row{11, {0, 11}, {0, 8}, {0, 7}},    // the end of the line
                         Row{13, {1, 0}, {1, 0}, {1, 0}},     // behind CRLF
                         Row{18, {2, 0}, {2, 0}, {2, 0}},     // behind a lone CR
                         Row{23, {3, 0}, {3, 0}, {3, 0}}}) {  // behind the last LF
    CAPTURE(row.offset);
    CHECK(position_of(file, row.offset, Encoding::utf8) == row.utf8);
    CHECK(position_of(file, row.offset, Encoding::utf16) == row.utf16);
    CHECK(position_of(file, row.offset, Encoding::utf32) == row.utf32);
    CHECK(offset_of(file, row.utf8, Encoding::utf8) == row.offset);
    CHECK(offset_of(file, row.utf16, Encoding::utf16) == row.offset);
    CHECK(offset_of(file, row.utf32, Encoding::utf32) == row.offset);
    CHECK(offset_in(file.bytes(), row.utf16, Encoding::utf16) == row.offset);
  }
}

TEST_CASE("Places outside of the text are its nearest ones") {
  const SourceFile file("a.yaml", "ab\ncd");
  CHECK(offset_of(file, {0, 99}, Encoding::utf16) == 2);
  CHECK(offset_of(file, {1, 99}, Encoding::utf16) == 5);
  CHECK(offset_of(file, {9, 0}, Encoding::utf16) == 5);
  CHECK(offset_in("ab\ncd", {0, 99}, Encoding::utf16) == 2);
  CHECK(offset_in("ab\ncd", {9, 0}, Encoding::utf16) == 5);
  CHECK(position_of(file, 99, Encoding::utf16) == Position{1, 2});
  // Inside of a character: its start.
  CHECK(offset_in("😀", {0, 1}, Encoding::utf16) == 0);
  CHECK(offset_in("é", {0, 1}, Encoding::utf8) == 0);
}

TEST_CASE("A byte-order mark is a character of the client's first line alone") {
  const SourceFile file("a.yaml", kByteOrderMark + "a: 1\nb: 2\n");
  CHECK(position_of(file, 0, Encoding::utf16) == Position{0, 1});
  CHECK(position_of(file, 0, Encoding::utf8) == Position{0, 3});
  CHECK(position_of(file, 5, Encoding::utf16) == Position{1, 0});
  CHECK(offset_of(file, {0, 0}, Encoding::utf16) == 0);
  CHECK(offset_of(file, {0, 4}, Encoding::utf16) == 3);
  CHECK(offset_of(file, {1, 1}, Encoding::utf16) == 6);
}

TEST_CASE("A byte that is no UTF-8 is one unit") {
  CHECK(epwise::lsp::units("a\xFF\xC3", Encoding::utf16) == 3);
  CHECK(epwise::lsp::units("\xF0\x9F\x98\x80", Encoding::utf16) == 2);
  CHECK(epwise::lsp::units("\xF0\x9F\x98", Encoding::utf16) == 3);
}

TEST_CASE("Changes are made one after another") {
  Document document("file:///a.yaml", "a.yaml", 1, "a: 😀\r\nb: 2\r\n");
  const auto before = document.file();
  document.apply(
      {{Range{{0, 3}, {0, 5}}, "one"}, {Range{{1, 3}, {1, 4}}, "3\r\nc: 4"}}, 2, Encoding::utf16);
  CHECK(document.file()->bytes() == "a: one\r\nb: 3\r\nc: 4\r\n");
  CHECK(document.version() == 2);
  CHECK(before->bytes() == "a: 😀\r\nb: 2\r\n");  // who read it before still has it
  document.apply({{Range{{2, 0}, {1, 0}}, ""}}, 3, Encoding::utf16);  // the wrong way round
  CHECK(document.file()->bytes() == "a: one\r\nc: 4\r\n");
  document.apply({{Range{{99, 0}, {99, 9}}, "d: 5"}}, 4, Encoding::utf16);
  CHECK(document.file()->bytes() == "a: one\r\nc: 4\r\nd: 5");
  document.apply({{std::nullopt, kByteOrderMark + "x: 1"}}, 5, Encoding::utf16);
  CHECK(document.file()->had_byte_order_mark());
  document.apply({{Range{{0, 4}, {0, 5}}, "2"}}, 6, Encoding::utf16);
  CHECK(document.file()->bytes() == "x: 2");
  CHECK(document.file()->had_byte_order_mark());
}

TEST_CASE("Paths and URIs") {
  using epwise::lsp::file_path;
  using epwise::lsp::file_uri;
  CHECK(file_path("file:///w/a%20b%C3%A9.yaml") == "/w/a bé.yaml");
  CHECK(file_path("file://localhost/w/a") == "/w/a");
  CHECK(file_path("file:///w/100%") == "/w/100%");
  CHECK_FALSE(file_path("untitled:Untitled-1"));
  CHECK_FALSE(file_path("file://host/a"));
  CHECK_FALSE(file_path("file:///a%00b"));
  for (const std::string path : {"/w/a b#?.yaml", "/ü/😀", "/%41"}) {
    CHECK(file_path(file_uri(path)) == path);
  }
}
