#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "recipe/bridge/config_tree.h"
#include "recipe/recipe.h"
#include "recipe/trainers/trainer_recipe.h"
#include "yaml/node.h"

namespace epwise::recipe {

/// The format of a trainer's configuration files; the meaning of the keys is in its table
/// (recipe/trainers/trainer.h).
struct TrainerFormat {
  std::string_view trainer;  // "verl"
  /// Whether a document has this format, by its content.
  bool (*fits)(const yaml::Node& root);
  /// The models trained on Megatron, the main one first.
  std::vector<TrainerRole> (*roles)(const ConfigNode& root);
  /// Facts without a field: the number of ranks.
  void (*complete)(Recipe& recipe, const ConfigNode& root, const TrainerRole& role);
  /// Where the role names its model, by id or folder, in order; empty if the format has no such
  /// place.
  std::vector<std::string> (*models)(const TrainerRole& role);
};

/// verl: actor_rollout_ref.actor.megatron, …ref.megatron, critic.megatron; trainer.nnodes.
extern const TrainerFormat kVerl;

/// ROLL: <role>.strategy_args.strategy_config of strategy megatron_train; its device_mapping.
extern const TrainerFormat kRoll;

/// NeMo-RL: policy.megatron_cfg, value.megatron_cfg, …; cluster.
extern const TrainerFormat kNemoRl;

/// NeMo 1: model.* next to trainer.num_nodes and trainer.devices.
extern const TrainerFormat kNemo;

/// ms-swift: one flat mapping of the flags of `megatron sft`.
extern const TrainerFormat kSwift;

/// The format of a document; null pointer if it matches none.
const TrainerFormat* trainer_format(const yaml::Node& root);

/// Whether a mapping has a mapping under that key.
const yaml::Node* mapping_at(const yaml::Node& root, std::string_view key);

}  // namespace epwise::recipe
