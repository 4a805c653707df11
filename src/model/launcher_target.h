#pragma once

#include "model/target.h"
#include "recipe/recipe.h"

namespace epwise::model {

/// The target with what the recipe's own launcher says (raw.gpus, raw.gpus_source: the world size
/// of a launch script) where the target says nothing.
Target with_launcher(const Target& target, const recipe::Recipe& recipe);

}  // namespace epwise::model
