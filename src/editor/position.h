#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "text/mark.h"
#include "text/source_file.h"

/// Places as editors count them: lines and characters from 0, characters in the units that client
/// and server agreed upon; "\n", "\r\n" and "\r" end a line. A byte-order mark that the client
/// sends is a character for it and none for a SourceFile: it stands in front of line 0.
namespace epwise::editor {

/// What a character is: a code unit of that encoding.
enum class Encoding : std::uint8_t { utf8, utf16, utf32 };

/// As the protocol names it: "utf-16".
std::string_view to_string(Encoding encoding);

struct Position {
  std::size_t line = 0;
  std::size_t character = 0;

  bool operator==(const Position&) const = default;
};

struct Range {
  Position start;
  Position end;

  bool operator==(const Range&) const = default;
};

/// How many units a text takes: 2 for "😀" in UTF-16. A byte that is no UTF-8 counts as one.
std::size_t units(std::string_view text, Encoding encoding);

/// Where an offset of `file.bytes()` lies; offsets past the end count as the end.
Position position_of(const text::SourceFile& file, std::size_t offset, Encoding encoding);

Range range_of(const text::Mark& mark, Encoding encoding);

/// The offset in `file.bytes()`. A line past the last counts as the end of the text, a character
/// past the last as the end of its line, as the protocol has it; one inside a character as its
/// start.
std::size_t offset_of(const text::SourceFile& file, Position position, Encoding encoding);

/// The same in a text as the client holds it, with its byte-order mark.
std::size_t offset_in(std::string_view text, Position position, Encoding encoding);

}  // namespace epwise::editor
