#pragma once

#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

/// With --use-checkpoint-args and a checkpoint to load, Megatron-LM takes the model's sizes from
/// the checkpoint: some whenever it has them, others only if no flag gives them. Makes these fields
/// unknown, with need "the checkpoint"; leaves all other recipes unchanged. Never fails.
///   --use-checkpoint-args --load base --num-layers 4 --swiglu
///   → num_layers 4, hidden_size unknown, gated_linear_unit unknown
void take_from_checkpoint(Recipe& recipe, const Vocabulary& vocabulary);

}  // namespace epwise::recipe
