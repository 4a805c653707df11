#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "recipe/launch/launch_words.h"
#include "recipe/load.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

/// The recipes of a program that trains on Megatron through another framework, with overrides in
/// Hydra's grammar; nullopt for any other program, empty if this one trains nothing on Megatron.
///   python3 -m verl.trainer.main_ppo actor_rollout_ref.actor.megatron.expert_model_parallel_size=8
///   python run_grpo.py --config grpo.yaml policy.megatron_cfg.expert_model_parallel_size=8
///   python start_rlvr_pipeline.py --config_path . --config_name rlvr
///   python megatron_gpt_pretraining.py trainer.devices=8 model.expert_model_parallel_size=8
std::optional<std::vector<Recipe>> read_trainer_launch(
    const Recipe& start,
    const LaunchWords& launch,
    const Request& request,
    const std::function<const Vocabulary&(Framework)>& vocabulary_for);

/// Whether Megatron-LM's flags are passed to slime's training, which requires some flags of its
/// own.
bool is_slime(const LaunchWords& launch);

/// After reading the flags: what slime sets between Megatron-LM's parser and its validator, and the
/// number of ranks of its actor.
///   train.py --actor-num-nodes 2 --actor-num-gpus-per-node 8 …   → 16 ranks
void complete_slime(Recipe& recipe, const LaunchWords& launch, const Vocabulary& vocabulary);

/// Whether ms-swift's Megatron training is started: `megatron sft …`, swift/cli/_megatron/sft.py.
bool is_swift(const LaunchWords& launch);

/// Reads its flags, which override those of a YAML file given first.
///   megatron sft --expert_model_parallel_size 8 --moe_permute_fusion true
std::vector<Recipe> read_swift_launch(
    const Recipe& start,
    const LaunchWords& launch,
    const Request& request,
    const std::function<const Vocabulary&(Framework)>& vocabulary_for);

}  // namespace epwise::recipe
