#pragma once

#include <cstddef>
#include <map>
#include <string_view>

#include "shell/source.h"
#include "shell/syntax.h"
#include "shell/word_parser.h"

namespace epwise::shell {

/// A place in a script that moves forward over words, blanks and line ends.
class Cursor {
 public:
  explicit Cursor(const Source& source) : source_(source), text_(source.text()), words_(source) {}

  bool at_end() const { return at_ >= text_.size(); }

  std::size_t at() const { return at_; }

  void go(std::size_t place) { at_ = place < text_.size() ? place : text_.size(); }

  std::string_view text() const { return text_; }

  std::string_view rest() const { return text_.substr(at_); }

  bool sees(std::string_view what) const { return rest().starts_with(what); }

  /// The character here; a line end at the end of the text.
  char current() const { return at_end() ? '\n' : text_[at_]; }

  text::Mark mark(std::size_t begin, std::size_t end) const { return source_.mark(begin, end); }

  /// Blanks, line continuations and a comment.
  void skip_blanks();

  /// The same, and line ends.
  void skip_line_ends();

  /// The same, and semicolons.
  void skip_lines();

  /// The word here as it is written; the cursor stays.
  std::string_view peek() const;

  /// Goes over a plain word, if it stands behind the blanks here.
  bool take(std::string_view word);

  /// Over a character, if it stands behind the blanks here.
  void take_character(char c);

  void skip_word();

  /// Reads a word; empty, and nothing moves, where none stands.
  Word word() { return words_.word(at_); }

  /// What stands up to a place, as between double quotes.
  Word quoted(std::size_t end);

  std::size_t closing(char open, char close) const { return words_.closing(at_, open, close); }

  /// What stands from `begin` to here, as one literal.
  Word literal(std::size_t begin) const;

  /// The here-document that the next line end is followed by: [begin, end).
  struct Document {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  /// Finds it and leaves it out later on. Empty where there is no further line.
  Document take_document(std::string_view delimiter, bool tabs);

  const Source& source() const { return source_; }

 private:
  void take_line_end();
  std::size_t end_of_document(std::size_t begin, std::string_view delimiter, bool tabs) const;

  const Source& source_;
  std::string_view text_;
  WordParser words_;
  std::size_t at_ = 0;
  std::map<std::size_t, std::size_t> jumps_;  // line ends behind which here-documents stand
};

}  // namespace epwise::shell
