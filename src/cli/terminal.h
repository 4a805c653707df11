#pragma once

#include <string_view>

#include "world/files.h"

namespace epwise::cli {

/// What the three standard streams are connected to. Filled once by main; tests make their own.
struct Terminal {
  bool in = false;   // standard input is a terminal
  bool out = false;  // standard output is a terminal
  bool err = false;
  int columns = 0;  // of standard output; 0: not known
};

/// Asks the operating system.
Terminal find_terminal();

/// Whether a stream gets colour; `choice` is what --color says (report/style.h has the rules).
bool wants_colour(std::string_view choice, bool is_terminal, const world::Variables& variables);

/// Whether the locale can print more than ASCII (LC_ALL, LC_CTYPE, LANG in that order name UTF-8).
bool wants_unicode(const world::Variables& variables);

/// Columns to lay text out in: COLUMNS, else the terminal's, else 100; between 40 and 200.
int text_width(const Terminal& terminal, const world::Variables& variables);

}  // namespace epwise::cli
