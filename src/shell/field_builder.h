#pragma once

#include <vector>

#include "shell/field.h"

namespace epwise::shell {

/// A character at which an unquoted value ends a word.
bool is_blank(char c);

/// Puts fields together of pieces and the places where words end.
class FieldBuilder {
 public:
  /// `splits`: whether unquoted values make several words.
  explicit FieldBuilder(bool splits) : splits_(splits) {}

  bool splits() const { return splits_; }

  void add(Piece piece);

  /// The word ends here.
  void end();

  /// A piece that ends the word at each of its blanks.
  void split(const Piece& piece);

  /// The fields; each is marked from its first piece to its last.
  std::vector<Field> finish(const text::Mark& word);

 private:
  bool splits_;
  bool open_ = false;
  Field current_;
  std::vector<Field> done_;
};

}  // namespace epwise::shell
