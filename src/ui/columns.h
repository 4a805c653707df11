#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace epwise::report {

/// One character as displayed by the terminal.
struct Cell {
  // what is printed; a control character, a direction mark or an invalid byte becomes a visible
  // replacement, a tab four spaces
  std::string glyph;
  int width = 1;             // terminal columns: 0 combining, 2 wide (CJK, emoji), 4 a tab
  std::uint32_t offset = 0;  // offset of its first byte in the decoded text
};

/// Decodes UTF-8 into cells. No content of a recipe can move the cursor, change colours or reverse
/// the reading direction of the terminal.
std::vector<Cell> cells(std::string_view text, bool unicode);

/// Columns needed to print `text` unchanged (without control characters).
int display_width(std::string_view text);

/// A sentence made safe to print on one line: line ends and tabs become spaces, control characters
/// are replaced. Without `unicode`, epwise's own symbols are written in ASCII ("→" "->", "×" "x",
/// "≥" ">="); the user's letters are kept.
std::string printable(std::string_view text, bool unicode);

/// Breaks a sentence at spaces into lines of at most `width` columns; a longer word gets its own
/// line. No line starts with `::` or `##[`, which CI systems execute. Never empty.
/// `indent`: columns that the caller puts before every line but the first.
std::vector<std::string> wrap(std::string_view text, int width, int indent = 0);

}  // namespace epwise::report
