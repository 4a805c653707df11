#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/text/source_file.h"
#include "recipe/launch/launch_words.h"
#include "recipe/shell/field.h"
#include "yaml/parse.h"

namespace epwise::recipe {

/// The recipe of Megatron-Bridge that a launch of its programs starts from.
struct StartingRecipe {
  std::shared_ptr<const text::SourceFile> file;  // null pointer: not named, or not in the tables
  yaml::Stream stream;                           // of `file`
  const shell::Field* named = nullptr;           // the option that names it, also an unknown one
  std::string asked;                             // the name that has no table entry; may be empty
  std::string precision;                         // harness: "bf16"
  std::string gpu;                               // harness: "h100"
  std::int64_t gpus = 0;                         // for which the recipe is; 0: unknown
  std::int64_t wanted_gpus = 0;                  // -ng; 0: unknown
  bool scaled = false;  // harness: the launch adapts the batch to the number of GPUs
  bool flat = false;    // harness: of a release with recipes per number of GPUs (since 0.6.0)

  /// The text of a value in the recipe: value("train.global_batch_size") → "1024", "null" for a
  /// null section, `otherwise` if the recipe does not say it.
  std::string value(std::string_view path, std::string otherwise = {}) const;

  /// Where the recipe has a field: newer models keep those of the transformer one level deeper, and
  /// the harness, which sets attributes, reaches them under either name.
  ///   "model.num_layers" → "model.transformer.num_layers"
  std::string place_of(std::string_view path) const;

 private:
  const yaml::Node* node_at(std::string_view path) const;
};

/// What run_script.py and setup_experiment.py select with -mr, --task, -g, -c, -ng, and the scripts
/// for training with --recipe, or --model and --mode. Options with unknown values select nothing.
///   run_recipe.py --recipe llama3_8b_pretrain_config → that recipe of the release
StartingRecipe starting_recipe(const LaunchWords& launch, std::string_view release);

}  // namespace epwise::recipe
