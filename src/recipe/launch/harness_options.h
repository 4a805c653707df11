#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "recipe/arguments/arguments.h"
#include "recipe/launch/launch_words.h"
#include "recipe/launch/starting_recipe.h"
#include "recipe/shell/field.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

/// Whether the program is one of Megatron-Bridge's performance harness (scripts/performance), which
/// has options of its own: run_script.py, setup_experiment.py.
bool is_harness(const LaunchWords& launch);

/// Effects of the options of Megatron-Bridge's performance harness (scripts/performance) on the
/// configuration, in addition to the Hydra words between them.
struct HarnessOptions {
  std::vector<Word> overrides;   // "model.tensor_model_parallel_size=4" for `-tp 4`, marked there
  std::vector<Word> left_open;   // the same if the value needs unset variables
  std::vector<std::string> ask;  // keys of fields that an option changes in the harness's own way
};

/// The environment that setup_experiment.py gives to the job: `-E K=V` and `--env K=V`, repeatable,
/// before `--custom_env_vars K=V,L=W`. Other programs accept these options without effect.
/// `computed` contains names that the harness of that version sets itself.
struct HarnessEnvironment {
  std::map<std::string, shell::Field> variables;
  std::vector<std::string> computed;
};

HarnessEnvironment harness_environment(const LaunchWords& launch, std::string_view version);

/// Only read for the programs of the harness (setup_experiment.py, run_script.py). The harness
/// applies its options after the Hydra words, so they win.
///   `-tp 4 -gb 512 --moe_a2a_overlap true` → overrides model.tensor_model_parallel_size=4,
///   model.sequence_parallel=true, train.global_batch_size=512 and those of the overlap
HarnessOptions harness_options(const LaunchWords& launch);

/// The effects that depend on the starting recipe, now that it is known: the fields that the harness
/// sets from it become overrides and leave `ask`. Fields that the release lacks are left out.
///   `--moe_flex_dispatcher_backend None` → model.moe_token_dispatcher_type=alltoall
void settle(HarnessOptions& options,
            const LaunchWords& launch,
            const StartingRecipe& start,
            const Vocabulary& vocabulary);

/// Overrides that scripts/training/run_recipe.py makes of its options since 0.6.0, before the words
/// of the command: `-tp 2` → model.tensor_model_parallel_size=2.
std::vector<Word> training_options(const LaunchWords& launch, std::string_view version);

}  // namespace epwise::recipe
