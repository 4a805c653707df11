#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// How pieces of upstream's text are known without keeping them: the same sums that
/// rules/fragments.py makes.
namespace epwise::audit {

/// A line of source without needless blanks; comments and blank lines are left out.
struct SourceLine {
  int number = 0;  // from 1, in the file
  std::string text;
};

std::vector<SourceLine> source_lines(std::string_view text);

/// FNV-1a (64 bits) of lines [first, first + count), joined by line ends.
std::uint64_t fingerprint(const std::vector<SourceLine>& lines,
                          std::size_t first,
                          std::size_t count);

/// What a message says, as rules know it: hashes (8 hexadecimal digits) of its words one by one and
/// of every three neighbours. Sorted.
std::vector<std::string> message_marks(std::string_view message);

}  // namespace epwise::audit
