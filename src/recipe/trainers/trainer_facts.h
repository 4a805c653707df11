#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "recipe/bridge/config_tree.h"
#include "recipe/recipe.h"
#include "recipe/trainers/trainer.h"

namespace epwise::recipe {

/// Facts stored in the recipe about its trainer: raw.trainer ("verl"), raw.trainer_title,
/// raw.trainer_role ("actor"; null without one), raw.trainer_stages (the launch stages that run)
/// and raw.trainer_paths ("model.expert_model_parallel_size critic.megatron.expert_…").
void note_trainer(Recipe& recipe, const Trainer& trainer, std::string_view role);

/// Facts stored about the model that the trainer loads: raw.model ("Qwen/Qwen3-30B-A3B") and
/// raw.model_status ("published", "assumed", "file").
void note_model(Recipe& recipe, std::string_view name, std::string_view status);

/// "Qwen/Qwen3-30B-A3B", "Qwen/Qwen3-14B (numbers assumed)"; empty if the model is unknown.
std::string model_name(const Recipe& recipe);

/// The most tokens that a micro-batch may have by the trainer's own settings, which is not the length
/// that Megatron's checks see: samples of this length, before context parallelism splits them.
struct LongestStep {
  std::int64_t sequence = 0;
  std::int64_t micro_batch = 1;
};

/// Stored as raw.longest_sequence and raw.longest_micro_batch.
void note_longest_step(Recipe& recipe, const LongestStep& step);
std::optional<LongestStep> longest_step(const Recipe& recipe);

/// A step of the optimizer by the trainer's own settings, where Megatron's fields do not describe it:
/// samples of the longest length, as many in a micro-batch and in the whole step.
struct TrainingStep {
  std::int64_t sequence = 0;
  std::int64_t micro_batch = 1;
  std::int64_t global_batch = 1;
  bool of_rank = false;  // global_batch is the share of each data-parallel rank
};

/// Stored as raw.step_sequence, raw.step_micro_batch, and raw.step_global_batch or raw.step_rank_batch.
/// Nothing is stored for numbers below 1.
void note_training_step(Recipe& recipe, const TrainingStep& step);

/// Whether another number of data-parallel ranks makes a step of the optimizer larger or smaller.
bool batch_follows_ranks(const Recipe& recipe);

/// Where the trainer's configuration has a field, or would have it: by canonical name, or by
/// "model.*" for a mapping that accepts any field of a section.
void note_path(Recipe& recipe, std::string_view canonical, std::string_view path);

/// Whether a framework built on Megatron produced this configuration.
bool has_trainer(const Recipe& recipe);

/// Whether a launch stage runs for this recipe; always true without a trainer.
bool runs_stage(const Recipe& recipe, std::string_view stage);

/// Whether this part of a trainer's configuration takes steps of an optimizer: a reference model does
/// not. Always true without a trainer.
bool takes_steps(const Recipe& recipe);

/// "verl (actor)"; empty without a trainer.
std::string trainer_name(const Recipe& recipe);

/// What a field is if its setting is removed from the trainer's configuration; null pointer if that
/// is the framework's default.
void note_preset(Recipe& recipe, std::string_view canonical, const expr::Value& value);
const expr::Value* preset(const Recipe& recipe, std::string_view canonical);

/// The word that a trainer's options take for null: "none" of ms-swift, otherwise "null".
std::string null_word(const Recipe& recipe);

/// The prefix of the names of a trainer's own settings: "trainer.policy.sequence_packing.enabled".
inline constexpr std::string_view kTrainerGroup = "trainer.";

/// Stores every leaf of the trainer's configuration as Recipe::settings. `elsewhere` says what may
/// contain others ("the model's config.json"); empty: `root` is all that was given.
void note_settings(Recipe& recipe, const ConfigNode& root, std::string_view elsewhere);

/// A setting by its name: "trainer.policy.sequence_packing.enabled" → true. Null if it was not given;
/// unknown if it may be given elsewhere.
expr::Value trainer_setting(const Recipe& recipe, std::string_view name);

/// Takes back a field that the trainer reads and, as it is configured, does not use: it has no value
/// and no path.
void forget_setting(Recipe& recipe, std::string_view canonical);

/// A setting of the framework that the trainer passes on and does not read: another decides.
void note_unread(Recipe& recipe, std::string_view canonical);
bool is_unread(const Recipe& recipe, std::string_view canonical);

/// The path of a field in the trainer's configuration; empty if it has none.
std::string trainer_path(const Recipe& recipe, std::string_view canonical);

}  // namespace epwise::recipe
