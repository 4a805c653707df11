#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"

namespace epwise::shell {

/// A part of an expanded word.
struct Piece {
  std::string text;       // as written if it is unknown
  text::Mark mark;        // of the literal, or of the `$X` that expands to it
  bool verbatim = false;  // the file contains it literally at the mark
  bool quoted = false;
  // a variable that is not set anywhere: assumed to be set if used without a default
  bool unbound = false;
  bool caller = false;  // set by the caller's environment
  // unknown, in the text that srun passes to a shell: expanded once, not by each task's shell
  bool before_srun = false;
  int condition = 0;  // not 0: only present if an unknown condition holds
  /// Names that would determine the text or its presence; empty: known.
  std::vector<std::string> needs = {};
  text::Mark definition = {};  // of the value of the variable that is written there

  bool unknown() const { return condition == 0 && !needs.empty(); }
};

/// [begin, end) of the text of a Piece, or of a Part, with its place.
template <class Text>
Text part_of(const Text& whole, std::size_t begin, std::size_t end) {
  Text part = whole;
  part.text = whole.text.substr(begin, end - begin);
  if (whole.verbatim) {
    part.mark.begin = whole.mark.begin + static_cast<std::uint32_t>(begin);
    part.mark.end = whole.mark.begin + static_cast<std::uint32_t>(end);
  }
  return part;
}

/// An argument of a command, or an element of a list.
struct Field {
  std::vector<Piece> pieces;
  text::Mark mark;

  std::string text() const;

  /// Every piece is present and its text is known.
  bool known() const;

  /// The single condition of all its pieces, otherwise 0.
  int condition() const;

  std::vector<std::string> needs() const;
};

/// A field of one text without a source location.
Field field_of(std::string text, const text::Mark& mark = {});

/// A field whose text is not known.
Field unknown_field(const text::Mark& mark, std::vector<std::string> needs);

/// What would determine a variable: "${EP}".
std::string need_of(const std::string& name);

/// The value of a variable that is not known.
Field unknown_value(const text::Mark& mark, const std::string& name);

/// Any number of elements of a list.
Field unknown_elements(const text::Mark& mark, const std::string& name);

/// Whether it is known how many words the elements of a list are.
bool all_present(const std::vector<Field>& elements);

/// `"$@"` of a script that is called elsewhere: any number of words, none as far as it tests them.
Field open_arguments(const text::Mark& mark);

/// Takes them out; whether there were any.
bool take_open_arguments(std::vector<Field>& words);

/// Adds missing names, up to a limit.
void add_needs(const std::vector<std::string>& more, std::vector<std::string>& needs);

/// The text at a mark, on one line and shortened.
std::string written_at(const text::Mark& mark);

/// A character at which an unquoted value ends a word.
bool is_blank(char c);

/// Builds fields from pieces and word boundaries.
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

  /// `split` for known text without quotes where values make several words, otherwise `add`.
  void place(Piece piece, bool quoted);

  /// The fields; each is marked from its first piece to its last.
  std::vector<Field> finish(const text::Mark& word);

 private:
  bool splits_;
  bool open_ = false;
  Field current_;
  std::vector<Field> done_;
};

}  // namespace epwise::shell
