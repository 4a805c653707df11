#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/settings/configuration.h"
#include "cli/settings/settings.h"
#include "cli/target/resolution.h"

namespace epwise::cli {

/// One value that counts for a recipe and who said it.
struct EffectiveSetting {
  std::string name;    // "hw", "stack.te", "env.NCCL_DEBUG", "fail_on"
  std::string value;   // "" for an unset variable is written as "(unset)"
  std::string source;  // "--hw", ".epwise.yaml:3", "default"

  bool operator==(const EffectiveSetting&) const = default;
};

/// Everything that `epwise lint` would use for a recipe, in the order of the configuration's keys.
/// What nobody says is "unknown".
std::vector<EffectiveSetting> effective_settings(std::span<const TargetSettings* const> sources,
                                                 const ResolvedTarget& resolved,
                                                 const RunSettings& run,
                                                 const Configuration& configuration);

}  // namespace epwise::cli
