#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "recipe/launch/launch_words.h"
#include "recipe/load.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

/// The recipes of a program that trains on Megatron through a framework of its own, with overrides
/// in Hydra's grammar; nullopt for any other program, empty where this one trains nothing on
/// Megatron.
///   python3 -m verl.trainer.main_ppo actor_rollout_ref.actor.megatron.expert_model_parallel_size=8
///   python run_grpo.py --config grpo.yaml policy.megatron_cfg.expert_model_parallel_size=8
///   python start_rlvr_pipeline.py --config_path . --config_name rlvr
///   python megatron_gpt_pretraining.py trainer.devices=8 model.expert_model_parallel_size=8
std::optional<std::vector<Recipe>> read_trainer_launch(
    const Recipe& start,
    const LaunchWords& launch,
    const Request& request,
    const std::function<const Vocabulary&(Framework)>& vocabulary_for);

}  // namespace epwise::recipe
