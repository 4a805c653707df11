#pragma once

#include <string>
#include <vector>

#include "recipe/recipe.h"
#include "text/mark.h"

namespace epwise::recipe {

/// One word of a command line, with the place in a file or on the command line where it came from.
struct Word {
  std::string text;  // what the program sees; `${X}` stays in it where nothing binds X
  text::Mark mark;
  std::vector<std::string> needs =
      {};  // "${X}": variables that nothing binds; not empty: the text is not known
  Origin origin = Origin::written;

  bool known() const { return needs.empty(); }
};

}  // namespace epwise::recipe
