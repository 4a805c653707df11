#pragma once

#include <cstddef>
#include <vector>

#include "session/options/arguments.h"
#include "session/settings/settings.h"
#include "ui/command.h"

namespace epwise::cli {

/// --fix and --diff.
std::vector<Option> fix_options();

/// --document, --stdin-filename, --list-files, --jobs, --exit-zero.
std::vector<Option> input_options();

/// The value of --jobs, otherwise as many threads as the machine has cores and `files` keep busy.
/// Throws UsageError if it is not a number from 1 to 256.
int threads_of(const Arguments& arguments, std::size_t files);

}  // namespace epwise::cli
