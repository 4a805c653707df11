#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace epwise::report {

/// One character as the terminal draws it.
struct Cell {
  std::string glyph;         // what is printed; a control character, a direction mark or an invalid
                             // byte becomes a visible stand-in, a tab four blanks
  int width = 1;             // terminal columns: 0 combining, 2 wide (CJK, emoji), 4 a tab
  std::uint32_t offset = 0;  // of its first byte in the decoded text
};

/// Decodes UTF-8 into cells. Nothing that a recipe holds can move the cursor, change colours or
/// reverse the reading direction of the terminal.
std::vector<Cell> cells(std::string_view text, bool unicode);

/// Columns that `text` takes when printed as it stands (no control characters in it).
int display_width(std::string_view text);

/// A sentence made safe to print on one line: line ends and tabs become blanks, control characters
/// stand-ins. Without `unicode`, the signs that epwise itself uses in sentences are spelt in ASCII
/// ("→" "->", "×" "x", "≥" ">="); the user's own letters stay.
std::string printable(std::string_view text, bool unicode);

/// Breaks a sentence at blanks into lines of at most `width` columns; a longer word stands alone.
/// Never empty.
std::vector<std::string> wrap(std::string_view text, int width);

}  // namespace epwise::report
