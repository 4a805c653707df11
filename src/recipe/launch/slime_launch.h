#pragma once

#include "recipe/launch/launch_words.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

/// Whether Megatron-LM's flags are given to slime's training, which wants some of its own.
bool is_slime(const LaunchWords& launch);

/// After the flags were read: what slime sets between Megatron-LM's parser and its validator, and
/// the number of ranks of its actor.
///   train.py --actor-num-nodes 2 --actor-num-gpus-per-node 8 …   → 16 ranks
void complete_slime(Recipe& recipe, const LaunchWords& launch, const Vocabulary& vocabulary);

}  // namespace epwise::recipe
