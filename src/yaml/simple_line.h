#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace epwise::yaml {

/// A line that means the same wherever it stands in a block: `- key: value  # comment`.
struct SimpleLine {
  enum class Kind : std::uint8_t {
    nothing,     // blank, or a comment
    entry,       // a key or an item, with or without a value
    block_text,  // a key or an item with `|` or `>`; the text follows
    other        // not simple
  };

  /// A plain word [begin, end); empty when there is none, or when it must stay as it is.
  struct Word {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  Kind kind = Kind::other;
  std::size_t indent = 0;        // blanks in front
  std::size_t column = 0;        // of the key, or of the last `-`
  std::size_t deepest_next = 0;  // a following line that starts further in may continue this one
  Word key;
  Word value;
  std::size_t content_end = 0;  // without comment, trailing blanks and line end
  std::size_t end = 0;          // where the next line starts
};

SimpleLine read_simple_line(std::string_view text, std::size_t begin);

/// Where the text of a `|` or `>` ends: at the first line that is not blank and starts no further
/// in than the line's key.
std::size_t block_text_end(std::string_view text, const SimpleLine& line);

}  // namespace epwise::yaml
