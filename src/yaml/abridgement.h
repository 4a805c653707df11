#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace epwise::yaml {

/// A text made shorter for the tokeniser, which spends some 2000 instructions on each byte: in
/// lines that are a whole by themselves, long plain words become one letter and comments go away.
/// What is left has the same structure, and every place in it stands for a place in the original.
///
///   hidden_size: 4096  # words    →    x: 4096
///
/// Lines whose meaning depends on others (text over several lines, brackets that stay open,
/// anchors) are copied as they are, and so is everything from the first such line on.
struct Abridgement {
  struct Shift {
    std::uint32_t place = 0;     // in the short text; from here on …
    std::uint32_t original = 0;  // … stands what stood there
  };

  struct Word {
    std::uint32_t begin = 0;  // in the original
    std::uint32_t end = 0;
  };

  std::string_view source;
  std::string text;
  std::vector<Shift> shifts;  // both rising
  std::vector<Word> words;    // those that became one letter

  /// Where in the original a place of the short text is.
  std::size_t original(std::size_t place) const;

  /// The whole word that stands at this place of the original, if it was shortened; else empty.
  std::string_view word(std::size_t original_place) const;
};

/// The text must outlive the result.
Abridgement abridge(std::string_view text);

/// The text as it is, in the same form.
Abridgement verbatim(std::string_view text);

}  // namespace epwise::yaml
