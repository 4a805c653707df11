#pragma once

#include <cstddef>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/settings/settings.h"

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

/// What --jobs says, else as many threads as the machine has cores and `files` keep busy. Throws
/// UsageError where the option says no number from 1 to 256.
int threads_of(const Arguments& arguments, std::size_t files);

}  // namespace epwise::cli
