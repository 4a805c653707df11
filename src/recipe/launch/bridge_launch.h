#pragma once

#include "recipe/launch/launch_words.h"
#include "recipe/load.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

/// Whether a program is started as Megatron-Bridge's training scripts are: with a recipe or a file
/// of overrides, or with words such as `model.num_layers=4`.
///   run_recipe.py --recipe llama3_8b_pretrain_config train.global_batch_size=512
bool is_bridge(const LaunchWords& launch, const Vocabulary& vocabulary);

/// Reads such a launch: the base recipe of the request, where there is one, the file that
/// --config-file names, then the overrides. Overrides of unknown value, or under a condition, give
/// unknown values, and so does everything that a recipe of Python or an unreadable file may say.
/// What the script exports counts before the recipe's env_vars.
///
/// raw.gpus from the performance scripts' own -ng, where no launcher says it.
void read_bridge_launch(Recipe& recipe,
                        const LaunchWords& launch,
                        const Request& request,
                        const Vocabulary& vocabulary);

}  // namespace epwise::recipe
