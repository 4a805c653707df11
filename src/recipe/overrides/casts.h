#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "recipe/bridge/config_tree.h"

namespace epwise::recipe {

/// What a function call in an override gives.
struct OverrideCast {
  ConfigNode value;
  bool sweep = false;        // choice(…), range(…), …: several launches
  std::string problem = {};  // no such function, or a value that it refuses
};

/// int('3'), float(3), str(3), bool('true'), also over lists and mappings.
OverrideCast override_cast(std::string_view function,
                           std::vector<ConfigNode> arguments,
                           bool named);

}  // namespace epwise::recipe
