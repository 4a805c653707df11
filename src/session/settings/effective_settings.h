#pragma once

#include <span>
#include <string>
#include <vector>

#include "session/settings/configuration.h"
#include "session/settings/settings.h"
#include "session/target/resolution.h"

namespace epwise::session {

/// One effective value for a recipe and its source.
struct EffectiveSetting {
  std::string name;    // "hw", "stack.te", "env.NCCL_DEBUG", "fail_on"
  std::string value;   // "" for an unset variable is written as "(unset)"
  std::string source;  // "--hw", ".epwise.yaml:3", "default"

  bool operator==(const EffectiveSetting&) const = default;
};

/// All settings that `epwise lint` would use for a recipe, in the order of the configuration's
/// keys. Values that are not given are "unknown".
std::vector<EffectiveSetting> effective_settings(std::span<const TargetSettings* const> sources,
                                                 const ResolvedTarget& resolved,
                                                 const RunSettings& run,
                                                 const Configuration& configuration);

}  // namespace epwise::session
