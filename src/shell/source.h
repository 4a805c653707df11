#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "text/mark.h"

namespace epwise::shell {

/// A text that is to be read as shell commands, and where each piece of it stands in a file: a
/// whole script, or what `eval`, `bash -c` and here-documents are given, put together of pieces.
class Source {
 public:
  /// Bytes from `begin` on, up to the next piece.
  struct Piece {
    std::size_t begin = 0;
    text::Mark mark;                      // where they stand
    bool verbatim = true;                 // the file holds these very bytes at the mark
    int condition = 0;                    // as of shell::Piece
    std::vector<std::string> needs = {};  // of the condition
  };

  explicit Source(const text::SourceFile& file);

  Source() = default;

  void add(std::string_view bytes, Piece piece);

  const std::string& text() const { return text_; }

  /// Where [begin, end) stands; of bytes that come from several files, where the first of them do.
  text::Mark mark(std::size_t begin, std::size_t end) const;

  /// The piece that holds this offset.
  const Piece& piece(std::size_t at) const;

  /// Where the piece behind this offset begins; the size of the text for the last one.
  std::size_t piece_end(std::size_t at) const;

 private:
  std::string text_;
  std::vector<Piece> pieces_;
};

}  // namespace epwise::shell
