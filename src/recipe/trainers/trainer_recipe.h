#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "recipe/bridge/config_tree.h"
#include "recipe/load.h"
#include "recipe/models/model_config.h"
#include "recipe/rank_count.h"
#include "recipe/recipe.h"
#include "recipe/trainers/trainer.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

/// Where one role of a training keeps its Megatron settings.
struct TrainerRole {
  std::string name;      // "actor"; empty if there is only one
  std::string path;      // "actor_rollout_ref.actor.megatron"; empty for the root
  std::string inherits;  // a path whose settings apply if this one has none; may be empty
};

/// A node's value; unknown for a list with an unknown entry.
expr::Value content_of(const ConfigNode& node);

/// The node at a dotted path; null pointer if there is none.
const ConfigNode* node_at(const ConfigNode& root, std::string_view path);

/// An integer at a path; nullopt if absent or unknown.
std::optional<std::int64_t> number_at(const ConfigNode& root, std::string_view path);

/// How many of the trainer's settings the role itself writes.
int count_settings(const ConfigNode& root, const TrainerRole& role, const Trainer& trainer);

/// Creates Megatron-Core fields from a trainer's settings. Known additions of the trainer count as
/// its defaults, and so do the fields that the model decides (null pointer: it is unknown);
/// everything else is unknown (Trainer::rest, or the trainer's own defaults if the model is known).
/// Variables that it sets itself are added unless the recipe sets them.
void read_trainer(Recipe& recipe,
                  const ConfigNode& root,
                  const TrainerRole& role,
                  const Trainer& trainer,
                  const ModelConfig* model,
                  const Vocabulary& vocabulary);

/// A value that the trainer sets instead of the written value, if there is one.
void set_default(Recipe& recipe, const std::string& name, expr::Value value);

/// The number of ranks and its source: "run.sh:12", or the trainer's name.
void set_world(Recipe& recipe, const Ranks& ranks);

/// Replaces `${a.b}` and `${.a}` that form a whole value by the referenced value; anything else
/// that contains `${…}` or is `???` becomes unknown.
void resolve_references(ConfigNode& root, const Environment& environment);

}  // namespace epwise::recipe
