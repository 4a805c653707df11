#pragma once

#include <vector>

#include "session/options/arguments.h"
#include "session/settings/settings.h"

namespace epwise::session {

/// The options that describe a recipe's target: --framework, --hw, --gpus, --stack, --env,
/// --purpose, --harness, and --base, the recipe to which overrides are applied. The same on the
/// command line and in a recipe's header.
std::vector<Option> target_options();

/// The values of these options.
TargetSettings target_settings(const Arguments& arguments);

}  // namespace epwise::session
