#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/value.h"
#include "recipe/framework.h"

namespace epwise::recipe {

/// A framework around Megatron-Core that makes Megatron's configuration itself, from settings of
/// its own (verl, ROLL, …): what stands in src/recipe/trainers/<name>.yaml, which the build embeds.
struct Trainer {
  /// A key of the trainer's configuration and the field that it sets.
  struct Setting {
    std::string key;    // below the place of a role; from the root where it starts with "/";
                        // "override_ddp_config.*": every key of a mapping
    std::string field;  // canonical; "ddp.*" for such a mapping
    /// What counts when nobody writes it; nullopt: not known.
    std::optional<expr::Value> otherwise = {};
  };

  std::string name;     // "verl"
  std::string title;    // "verl"
  std::string source;   // "volcengine/verl@b178a3cd5 verl/workers/megatron_workers.py"
  std::string version;  // of the trainer whose names these are
  Framework framework = Framework::bridge;  // whose fields and launch stages these are
  std::vector<std::string> stages;          // of that framework's launch, those that run here too
  std::map<std::string, std::string> environment;  // set by the trainer where nobody else does
  std::string rest;  // where it takes what is neither written nor named here: "the model's
                     // config.json"
  std::vector<Setting> settings;
  std::vector<std::string> untouched;  // fields at Megatron-Core's default unless written
  /// Sequence parallelism is switched off where there is one tensor-parallel rank.
  bool drops_lone_sequence_parallel = false;
  bool ignores_null = false;                 // a setting of null is one that nobody wrote
  bool words_are_lists = false;              // one word is the only item where a list is wanted
  bool none_is_null = false;                 // and so is the word "none", as a value
  std::map<std::string, expr::Value> fixed;  // fields that it sets itself, whatever is written
};

/// The table of a trainer: verl, roll, nemo_rl, swift, slime, nemo; `core` is what they share.
/// Throws std::logic_error for any other name and for a table that does not read.
Trainer load_trainer(std::string_view name);

}  // namespace epwise::recipe
