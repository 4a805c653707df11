#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "recipe/arguments/arguments.h"
#include "recipe/bridge/config_tree.h"
#include "recipe/load.h"
#include "recipe/recipe.h"
#include "recipe/trainers/trainer_formats.h"
#include "recipe/vocabulary/vocabulary.h"
#include "yaml/node.h"

namespace epwise::recipe {

/// A trainer's configuration, composed of its parts.
struct TrainerInput {
  const TrainerFormat* format = nullptr;
  const yaml::Node* root = nullptr;                   // of its file; null pointer: none
  std::shared_ptr<const text::SourceFile> file = {};  // that one
  std::vector<Word> overrides = {};                   // Hydra's; unknown ones give unknown values
  ConfigNode tree = {};                               // applied over the file, under the overrides
  bool open = false;                                  // its base configuration cannot be read
};

/// One recipe for each model that the trainer trains on Megatron, the main one first; `start`
/// contains what they share. Reads base configurations (`defaults`) if the request provides them.
/// Empty if it trains none.
///   actor_rollout_ref: {actor: {megatron: {expert_model_parallel_size: 8}}}   → one, role actor
std::vector<Recipe> read_trainer_input(
    const Recipe& start,
    const TrainerInput& input,
    const Request& request,
    const std::function<const Vocabulary&(Framework)>& vocabulary_for);

}  // namespace epwise::recipe
