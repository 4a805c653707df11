#include "base/text/source_file.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/text/diagnostic.h"

namespace epwise::text {

namespace {

/// The obvious way: walk from the start, one character at a time.
Position walked_position(const std::string& valid_utf8, std::size_t offset) {
  Position position;
  for (std::size_t i = 0; i < offset; ++i) {
    if (valid_utf8[i] == '\n') {
      ++position.line;
      position.column = 1;
    } else if ((static_cast<unsigned char>(valid_utf8[i]) & 0xC0U) != 0x80U) {
      ++position.column;
    }
  }
  return position;
}

}  // namespace

TEST_CASE("lines end at LF, CR and CRLF") {
  const SourceFile file("a.yaml", "one\ntwo\r\nthree\rfour");
  CHECK(file.line_count() == 4);
  CHECK(file.line(1) == "one");
  CHECK(file.line(2) == "two");
  CHECK(file.line(3) == "three");
  CHECK(file.line(4) == "four");
  CHECK(file.line_offset(3) == 9);
  CHECK(file.line(0).empty());
  CHECK(file.line(5).empty());
  CHECK(file.line_offset(5) == file.bytes().size());
}

TEST_CASE("the end of a text has a line") {
  CHECK(SourceFile("a", "").line_count() == 1);
  CHECK(SourceFile("a", "").position(0) == Position{1, 1});
  CHECK(SourceFile("a", "x\n").line_count() == 2);
  CHECK(SourceFile("a", "x\n").position(2) == Position{2, 1});
  CHECK(SourceFile("a", "x\r\n\r\n").line_count() == 3);
  CHECK(SourceFile("a", "\r\n").line(1).empty());
}

TEST_CASE("a byte-order mark is not part of the text") {
  const SourceFile file("a", "\xEF\xBB\xBFkey: 1");
  CHECK(file.had_byte_order_mark());
  CHECK(file.bytes() == "key: 1");
  CHECK(file.position(5) == Position{1, 6});
  CHECK_FALSE(SourceFile("a", "key: 1").had_byte_order_mark());
}

TEST_CASE("columns count code points") {
  const SourceFile file("a", "\u00E9t\u00E9: \u4E2D\U0001F600x\n");
  CHECK(file.position(0) == Position{1, 1});
  CHECK(file.position(2) == Position{1, 2});   // t
  CHECK(file.position(5) == Position{1, 4});   // :
  CHECK(file.position(7) == Position{1, 6});   // the Chinese character
  CHECK(file.position(8) == Position{1, 6});   // inside it
  CHECK(file.position(10) == Position{1, 7});  // the emoji
  CHECK(file.position(14) == Position{1, 8});  // x
  CHECK(file.position(999) == Position{2, 1});
}

TEST_CASE("invalid UTF-8 counts one column a byte") {
  struct Case {
    std::string bytes;
    std::size_t first_invalid;
    int column_of_end;
  };

  const std::vector<Case> cases = {
      {"ab", SourceFile::npos, 3},
      {"a\xFF"
       "b",
       1,
       4},
      {"\x80\x80\x80\x80\x80", 0, 6},  // continuations of nothing
      {"\xC3", 0, 2},                  // cut short
      {"\xE4\xB8", 0, 3},              // cut short
      {"\xC0\xAF", 0, 3},              // overlong
      {"\xE0\x80\x80", 0, 4},          // overlong
      {"\xED\xA0\x80", 0, 4},          // a surrogate
      {"\xF4\x90\x80\x80", 0, 5},      // past the last code point
      {"\xF4\x8F\xBF\xBF", SourceFile::npos, 2},
      {"\xC3\xA9\xA9", 2, 3},  // one byte too many
      {"\xF5\x80", 0, 3},
  };
  for (const Case& one : cases) {
    CAPTURE(one.bytes);
    const SourceFile file("a", one.bytes);
    CHECK(file.first_invalid_utf8() == one.first_invalid);
    CHECK(file.position(one.bytes.size()).column == one.column_of_end);
  }
}

TEST_CASE("positions agree with walking, across blocks of the index") {
  std::string bytes;
  for (int i = 0; bytes.size() < 20'000; ++i) {
    bytes += i % 7 == 0 ? "\u4E2D" : (i % 5 == 0 ? "\U0001F600" : "ab");
    bytes += i % 401 == 0 ? "\n" : "";
  }
  const SourceFile file("a", bytes);
  for (std::size_t offset = 0; offset < bytes.size(); offset += 13) {
    const bool inside = (static_cast<unsigned char>(bytes[offset]) & 0xC0U) == 0x80U;
    if (!inside) {
      CAPTURE(offset);
      CHECK(file.position(offset) == walked_position(bytes, offset));
    }
  }
}

TEST_CASE("a long line costs no more than many short ones") {
  const std::string bytes(std::size_t{8} << 20, 'x');
  const SourceFile file("a", bytes);
  std::size_t sum = 0;
  for (std::size_t offset = 0; offset < bytes.size(); offset += 1024) {
    sum += static_cast<std::size_t>(file.position(offset).column);  // minutes when each walks
  }
  CHECK(sum == std::size_t{8192} * (8191 * 512 + 1));
}

TEST_CASE("a mark names its two ends") {
  const SourceFile file("a.yaml", "a: 1\nb: two\n");
  const Mark mark = {.file = &file, .begin = 8, .end = 11};
  CHECK(mark.start() == Position{2, 4});
  CHECK(mark.finish() == Position{2, 7});
  CHECK_FALSE(mark.nowhere());
  CHECK(Mark{}.nowhere());
  CHECK(Mark{}.start() == Position{1, 1});
}

}  // namespace epwise::text
