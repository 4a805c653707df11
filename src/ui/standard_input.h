#pragma once

#include <iosfwd>
#include <string>

#include "session/options/arguments.h"
#include "ui/console.h"

namespace epwise::cli {

/// All of standard input; prints a message first if that is a terminal. Throws os::UsageError if
/// --no-input forbids reading from it.
std::string read_standard_input(const Arguments& arguments, Console& console);

/// All of a stream that is standard input. Throws os::MissingError when it can't be read: it is
/// closed, or a folder.
std::string read_all(std::istream& in);

}  // namespace epwise::cli
