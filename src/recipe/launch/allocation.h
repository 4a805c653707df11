#pragma once

#include "recipe/launch/launch_words.h"
#include "recipe/recipe.h"

namespace epwise::recipe {

/// Compares what the launcher starts with what the job has: recipe/allocated-nodes,
/// recipe/allocated-gpus, recipe/no-rendezvous, recipe/idle-nodes and recipe/unreached-nodes. Unknown
/// numbers are compared with nothing.
void report_allocation(Recipe& recipe, const Processes& processes);

}  // namespace epwise::recipe
