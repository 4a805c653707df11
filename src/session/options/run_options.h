#pragma once

#include <vector>

#include "session/options/arguments.h"
#include "session/settings/settings.h"

namespace epwise::session {

/// --rules DIR, for every command that uses rules.
Option rules_option();

/// --select, --ignore, --extend-select, --extend-ignore, --rules, --fail-on, --strict: the options
/// that an `.epwise.yaml` can set too.
std::vector<Option> selection_options();

/// The values of these options.
RunSettings run_settings(const Arguments& arguments);

/// --config and --target.
std::vector<Option> configuration_options();

/// --baseline and --no-ignores.
std::vector<Option> acceptance_options();

}  // namespace epwise::session
