#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace epwise::report {

/// A part of one line: bytes [from, to) of it.
struct ByteRange {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// The same in terminal columns from 0, at least one column wide.
struct ColumnRange {
  int from = 0;
  int to = 0;
};

/// A line of the user's text as it is drawn.
struct SourceLine {
  std::string text;                 // at most `width` columns
  std::vector<ColumnRange> ranges;  // of `text`, one for each range asked for
};

/// Expands tabs, replaces what a terminal must not see, and cuts a line that is too wide around its
/// first range, with "…" ("..." without `unicode`) where something is left out. A range that lies
/// in what was left out becomes one column at that end. Looks at a bounded part of the line only,
/// so that a file which is one long line costs no more than any other.
SourceLine draw_line(std::string_view line,
                     const std::vector<ByteRange>& ranges,
                     int width,
                     bool unicode);

}  // namespace epwise::report
