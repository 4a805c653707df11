#pragma once

#include "model/target.h"
#include "recipe/recipe.h"

namespace epwise::model {

/// The target with what the recipe's own launcher says where the target says nothing: raw.gpus is
/// the world size of a launch script, raw.hw the GPU that Bridge's harness is told (`-g h100`),
/// raw.gpus_source and raw.hw_source where that stands.
Target with_launcher(const Target& target, const recipe::Recipe& recipe);

}  // namespace epwise::model
