#pragma once

#include <string_view>

#include "base/os/files.h"

namespace epwise::cli {

/// What the three standard streams are connected to. Filled once by main; tests supply their own.
struct Terminal {
  bool in = false;   // standard input is a terminal
  bool out = false;  // standard output is a terminal
  bool err = false;
  int columns = 0;  // of standard output; 0: unknown
};

/// Asks the operating system.
Terminal find_terminal();

/// Whether a stream gets colour; `choice` is the value of --color (ui/style.h has the rules).
bool wants_colour(std::string_view choice, bool is_terminal, const os::Variables& variables);

/// Whether the locale can print more than ASCII (the first of LC_ALL, LC_CTYPE, LANG names UTF-8).
bool wants_unicode(const os::Variables& variables);

/// Columns for text: COLUMNS, otherwise the terminal's width, otherwise 100; between 40 and 200.
int text_width(const Terminal& terminal, const os::Variables& variables);

}  // namespace epwise::cli
