#pragma once

#include <functional>
#include <vector>

#include "recipe/launch/launch_words.h"
#include "recipe/load.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

/// Whether ms-swift's Megatron training is started: `megatron sft …`, swift/cli/_megatron/sft.py.
bool is_swift(const LaunchWords& launch);

/// Reads its flags, over those of a YAML file that stands first.
///   megatron sft --expert_model_parallel_size 8 --moe_permute_fusion true
std::vector<Recipe> read_swift_launch(
    const Recipe& start,
    const LaunchWords& launch,
    const Request& request,
    const std::function<const Vocabulary&(Framework)>& vocabulary_for);

}  // namespace epwise::recipe
