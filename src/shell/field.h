#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/mark.h"

namespace epwise::shell {

/// A stretch of an expanded word.
struct Piece {
  std::string text;       // as it was written where it is unknown
  text::Mark mark;        // of the literal, or of the `$X` that stands for it
  bool verbatim = false;  // the file holds it letter by letter at the mark
  bool quoted = false;
  bool unbound = false;  // a variable that nobody names: assumed to be set when it is used plainly
  bool caller = false;   // what the caller's environment binds
  int condition = 0;     // not 0: there only if something holds that is not known
  /// Names that would settle the text, or whether it is there; empty: known.
  std::vector<std::string> needs = {};
  text::Mark definition = {};  // of the value of the variable that is written there

  bool unknown() const { return condition == 0 && !needs.empty(); }
};

/// A word that a command gets, or an element of a list.
struct Field {
  std::vector<Piece> pieces;
  text::Mark mark;

  std::string text() const;

  /// Every piece is there and its text is known.
  bool known() const;

  /// The one condition of all its pieces, else 0.
  int condition() const;

  std::vector<std::string> needs() const;
};

/// A field of one text that is written nowhere.
Field field_of(std::string text, const text::Mark& mark = {});

/// A field whose text is not known.
Field unknown_field(const text::Mark& mark, std::vector<std::string> needs);

/// Adds the names that are not there yet, up to some.
void add_needs(const std::vector<std::string>& more, std::vector<std::string>& needs);

/// What stands at a mark, on one line and cut short.
std::string written_at(const text::Mark& mark);

}  // namespace epwise::shell
