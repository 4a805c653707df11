#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/style.h"

namespace epwise::report {

/// One line of a terminal on which pieces of text are put at columns; what is put later covers what
/// was there.
class Canvas {
 public:
  void put(int column, std::string_view text, Role role);
  void fill(int from, int to, char sign, Role role);

  bool covered(int from, int to) const;  // is anything there?

  /// The line with its colours, without blanks at its end.
  std::string render(const Paint& paint) const;

 private:
  struct Spot {
    std::string glyph;  // empty: blank
    Role role = Role::plain;
    bool tail = false;  // right half of a wide character
  };

  Spot& at(int column);

  std::vector<Spot> spots_;
};

}  // namespace epwise::report
