#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "recipe/bridge/config_tree.h"
#include "recipe/load.h"
#include "recipe/recipe.h"
#include "recipe/trainers/trainer.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

/// Where one role of a training keeps its Megatron settings.
struct TrainerRole {
  std::string name;      // "actor"; empty where there is but one
  std::string path;      // "actor_rollout_ref.actor.megatron"; empty for the root
  std::string inherits;  // a path whose settings count where this one has none; may be empty
};

/// The node at a dotted path; null pointer where there is none.
const ConfigNode* node_at(const ConfigNode& root, std::string_view path);

/// A whole number at a path; nullopt where there is none or it isn't known.
std::optional<std::int64_t> number_at(const ConfigNode& root, std::string_view path);

/// How many of the trainer's settings the role itself writes.
int count_settings(const ConfigNode& root, const TrainerRole& role, const Trainer& trainer);

/// Makes Megatron-Core's fields of a trainer's settings. What the trainer is known to add counts as
/// its default, and everything else is unknown (Trainer::rest). Variables that it sets itself come
/// where the recipe has none of that name.
void read_trainer(Recipe& recipe,
                  const ConfigNode& root,
                  const TrainerRole& role,
                  const Trainer& trainer,
                  const Vocabulary& vocabulary);

/// A value that the trainer puts in the place of what is written, or of nothing.
void set_default(Recipe& recipe, const std::string& name, expr::Value value);

/// The number of ranks, and what says so: "run.sh:12".
void set_world(Recipe& recipe, std::int64_t gpus, const text::Mark& mark);

/// Replaces `${a.b}` and `${.a}` that stand for a whole value by what stands there; anything else
/// that holds `${…}` or is `???` becomes unknown.
void resolve_references(ConfigNode& root, const Environment& environment);

}  // namespace epwise::recipe
