#pragma once

#include <string>

#include "cli/arguments.h"
#include "cli/session.h"

namespace epwise::cli {

/// All of standard input; says so first where that is a terminal. Throws world::UsageError where
/// --no-input forbids that.
std::string read_standard_input(const Arguments& arguments, Session& session);

}  // namespace epwise::cli
