#pragma once

#include <vector>

#include "cli/command.h"
#include "cli/settings/settings.h"

namespace epwise::cli {

/// The options that describe what a recipe runs on: --framework, --hw, --gpus, --stack, --env,
/// --purpose, --harness, and --base, which it is laid over. The same on the command line and in a
/// recipe's header.
std::vector<Option> target_options();

/// What those options said.
TargetSettings target_settings(const Arguments& arguments);

}  // namespace epwise::cli
