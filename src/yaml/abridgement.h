#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace epwise::yaml {

/// A shortened text for the tokeniser, which takes about 2000 instructions per byte: in
/// self-contained lines, plain words (not `null`) and quoted texts without escapes become one
/// letter, and comments are removed. The result has the same structure, and every position in it corresponds to a position in the
/// original. Most lines become one of a few texts, which parse.cc has tokenised once.
///
///   hidden_size: 4096  # words    →    x: x
///
/// Lines whose meaning depends on others (text over several lines, unclosed brackets, anchors) are
/// copied unchanged, as is everything from the first such line on.
struct Abridgement {
  struct Shift {
    std::uint32_t place = 0;     // in the short text; from here on …
    std::uint32_t original = 0;  // … is the text that was there
  };

  struct Word {
    std::uint32_t begin = 0;  // in the original, with its quotes
    std::uint32_t end = 0;
    bool quoted = false;
  };

  /// A self-contained line, with the text that a `|` or `>` in it introduces.
  struct Line {
    std::uint32_t begin = 0;   // in the short text
    std::uint32_t indent = 0;  // blanks in front
    bool item = false;         // starts with `- `
    bool open = false;         // a key without a value: what follows may be its value
  };

  std::string_view source;
  std::string text;
  std::vector<Shift> shifts;  // both rising
  std::vector<Word> words;    // those shortened to one letter
  std::vector<Line> lines;    // of one document of such lines only; otherwise empty

  /// The position in the original of a position in the short text.
  std::size_t original(std::size_t place) const;

  /// The whole word at this position of the original, without quotes, if it was shortened;
  /// otherwise empty.
  std::string_view word(std::size_t original_place) const;
};

/// The text must outlive the result.
Abridgement abridge(std::string_view text);

/// The unchanged text, in the same form.
Abridgement verbatim(std::string_view text);

}  // namespace epwise::yaml
