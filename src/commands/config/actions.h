#pragma once

#include "session/options/arguments.h"
#include "session/settings/configuration.h"
#include "ui/console.h"
#include "ui/exit_code.h"

namespace epwise::cli {

/// Checks every name in a configuration: profiles, components of the stack, rules. Throws
/// os::UsageError for the first that does not exist.
void check_configuration(const Configuration& configuration, const Console& console);

/// `epwise config init [FILE]`: writes a configuration of the options, or of the answers to
/// questions on a terminal. Throws os::UsageError for a file that is there, a name that does not
/// exist, or if there is nothing to write.
ExitCode init_configuration(Console& console, const Arguments& arguments);

}  // namespace epwise::cli
