#pragma once

#include "session/settings/configuration.h"
#include "ui/console.h"

namespace epwise::cli {

/// Checks every name in a configuration: profiles, components of the stack, rules. Throws
/// os::UsageError for the first that does not exist.
void check_configuration(const Configuration& configuration, const Console& console);

}  // namespace epwise::cli
