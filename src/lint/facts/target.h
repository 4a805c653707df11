#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "expr/value.h"
#include "hw/profile.h"
#include "recipe/load.h"
#include "recipe/recipe.h"
#include "recipe/stack.h"

namespace epwise::facts {

/// The purpose of a run; advice about comparing dispatchers or bringing up a model depends on it.
constexpr std::array<std::string_view, 6> kPurposes = {
    "training", "benchmark", "bring-up", "comparison", "tuning", "production"};

/// The target of a check. Values that are not given are unknown, and rules that depend on them
/// undecided.
struct Target {
  const hw::Profile* hw = nullptr;
  std::string hw_source;    // "--hw", ".epwise.yaml:4", "recipe.yaml:1", "this machine"
  std::optional<int> gpus;  // world size
  std::string gpus_source;
  /// GPU and number come from a configuration file: a default for recipes that do not say, such as
  /// YAML files. What a launch script says comes before it.
  bool hw_is_default = false;
  bool gpus_are_default = false;
  recipe::Stack stack;
  std::optional<std::string> purpose;  // purpose of the run: one of kPurposes
  std::string purpose_source;          // "--purpose", ".epwise.yaml:3"
  /// Options of Bridge's performance harness, when it launches the recipe: {"moe_a2a_overlap",
  /// true}.
  std::map<std::string, expr::Value, std::less<>> harness;
  // --env and configuration; a name without a value is unset on purpose
  recipe::Environment environment;
};

/// The target with what the recipe's own launcher says: raw.gpus is the world size of a launch
/// script, raw.hw the GPU given to Bridge's harness (`-g h100`), raw.gpus_source and raw.hw_source
/// their locations. They come before defaults and after options and headers; of two different numbers
/// the source names both: "--gpus, not the 16 of run.sbatch:2".
Target with_launcher(const Target& target, const recipe::Recipe& recipe);

}  // namespace epwise::facts
