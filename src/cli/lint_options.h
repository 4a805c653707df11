#pragma once

#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/settings.h"

namespace epwise::cli {

/// --select, --ignore, --rules, --fail-on, --strict: what an `.epwise.yaml` can say too.
std::vector<Option> selection_options();

/// What those options said.
RunSettings run_settings(const Arguments& arguments);

/// --config and --target.
std::vector<Option> configuration_options();

/// --fix and --diff.
std::vector<Option> fix_options();

/// --baseline and --no-ignores.
std::vector<Option> acceptance_options();

/// --document, --stdin-filename, --list-files, --jobs, --exit-zero.
std::vector<Option> input_options();

}  // namespace epwise::cli
