#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace epwise::text {

/// A location in a text for display: line and column from 1, columns in Unicode code points.
struct Position {
  int line = 1;
  int column = 1;

  bool operator==(const Position&) const = default;
};

/// The bytes of one input with its name and a line index; marks point into it.
///
/// A UTF-8 byte-order mark is excluded from `bytes()`, so that offset 0 is the first visible
/// character. Nothing here checks the encoding: `first_invalid_utf8` returns the first error, and
/// the readers report it. Also used for inputs that are not files: `SourceFile("<command line>",
/// "--num-layers 4 --hidden-size 64", ByteOrderMark::kept)`.
class SourceFile {
 public:
  /// What a byte-order mark at the start of the bytes is: the encoding of a file, or a character of
  /// a text that is not a file.
  enum class ByteOrderMark : std::uint8_t { skipped, kept };

  SourceFile(std::string name,
             std::string bytes,
             ByteOrderMark byte_order_mark = ByteOrderMark::skipped);

  /// The name as the user gave it ("recipes/a.yaml", "<stdin>"), never made absolute.
  const std::string& name() const { return name_; }

  /// The content without a byte-order mark.
  std::string_view bytes() const { return std::string_view(bytes_).substr(bom_); }

  bool had_byte_order_mark() const { return bom_ > 0; }

  /// Number of lines; an empty file has one empty line.
  int line_count() const { return static_cast<int>(line_begin_.size()); }

  /// Line `number` (from 1) without its line end; CR, LF and CRLF end a line. Empty if out of
  /// range.
  std::string_view line(int number) const;

  /// Offset in `bytes()` at which line `number` starts; the size of the text if out of range.
  std::size_t line_offset(int number) const;

  /// The location of a byte offset; offsets past the end count as the end, and one inside a
  /// character as that character. Invalid UTF-8 bytes count as one column each. O(log lines),
  /// regardless of line length.
  Position position(std::size_t offset) const;

  /// Offset of the first byte that is not valid UTF-8; `npos` if there is none.
  std::size_t first_invalid_utf8() const;

  static constexpr std::size_t npos = static_cast<std::size_t>(-1);

 private:
  std::uint32_t characters_until(std::size_t offset) const;

  std::string name_;
  std::string bytes_;
  std::size_t bom_ = 0;
  std::vector<std::uint32_t> line_begin_;
  std::vector<std::uint32_t> characters_before_;  // each block of the text
};

}  // namespace epwise::text
