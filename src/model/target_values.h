#pragma once

#include <string_view>

#include "expr/value.h"
#include "model/target.h"
#include "recipe/framework.h"
#include "recipe/recipe.h"

/// What the target says about the names that rules use for it.
namespace epwise::model {

/// hw.*: "arch", "name", "cc", "cc_major", "nvlink_domain", "gpus_per_node", "sm_count", or a
/// number of the profile. Unknown{"hw"} without --hw, Unknown{"hw.x"} where the profile lacks it.
expr::Value hardware_value(const Target& target, std::string_view key);

/// stack.*: a version, null when known to be absent, else Unknown{"stack.x"}. The recipe's own
/// framework counts with the version whose tables are used; the other framework is null.
expr::Value component_value(const Target& target,
                            recipe::Framework framework,
                            std::string_view framework_version,
                            std::string_view key);

/// installed.*: false only where the stack says that a package is absent.
expr::Value installed_value(const Target& target, std::string_view key);

/// env.*: the target's environment, else the recipe's own; null where neither names it.
expr::Value variable_value(const Target& target,
                           const recipe::Recipe& recipe,
                           std::string_view key);

}  // namespace epwise::model
