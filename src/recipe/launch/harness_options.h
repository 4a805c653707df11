#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "recipe/arguments/word.h"
#include "recipe/launch/launch_words.h"

namespace epwise::recipe {

/// What the options of Megatron-Bridge's performance harness (scripts/performance) do to the
/// configuration, beside the Hydra words that stand between them.
struct HarnessOptions {
  std::vector<Word> overrides;   // "model.tensor_model_parallel_size=4" for `-tp 4`, marked there
  std::vector<Word> left_open;   // the same where the value needs variables that nothing binds
  std::vector<std::string> ask;  // keys of fields that an option changes in the harness's own way
};

/// The environment that setup_experiment.py gives the job: `-E K=V` and `--env K=V`, as often as
/// they stand there, before `--custom_env_vars K=V,L=W`. Other programs read these options and do
/// nothing with them. `computed` holds names that the harness of that version sets itself.
struct HarnessEnvironment {
  std::map<std::string, shell::Field> variables;
  std::vector<std::string> computed;
};

HarnessEnvironment harness_environment(const LaunchWords& launch, std::string_view version);

/// Read for the programs of the harness only (setup_experiment.py, run_script.py). The harness
/// applies its options after the Hydra words, so they win.
///   `-tp 4 -gb 512 --moe_a2a_overlap true` → overrides model.tensor_model_parallel_size=4,
///   model.sequence_parallel=true, train.global_batch_size=512 and those of the overlap
HarnessOptions harness_options(const LaunchWords& launch);

}  // namespace epwise::recipe
