#pragma once

#include "recipe/launch/launch_words.h"
#include "recipe/load.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

/// Whether a program is started like Megatron-Bridge's training scripts: with a recipe or an
/// override file, or with words such as `model.num_layers=4`.
///   run_recipe.py --recipe llama3_8b_pretrain_config train.global_batch_size=512
bool is_bridge(const LaunchWords& launch, const Vocabulary& vocabulary);

/// Reads such a launch: the base recipe of the request, or the one that the options name
/// (recipe/launch/starting_recipe.h), the file given by --config-file, then the overrides. Overrides with unknown values, or under a condition, give unknown values, as
/// does everything that a Python recipe or an unreadable file may set. The script's exports take
/// precedence over the recipe's env_vars.
///
/// raw.gpus from the performance scripts' own -ng, if no launcher gives it.
void read_bridge_launch(Recipe& recipe,
                        const LaunchWords& launch,
                        const Request& request,
                        const Vocabulary& vocabulary);

}  // namespace epwise::recipe
