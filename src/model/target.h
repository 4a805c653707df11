#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "expr/value.h"
#include "hw/profile.h"
#include "recipe/load.h"
#include "recipe/stack.h"

namespace epwise::model {

/// What a run can be for; advice about comparing dispatchers or bringing a model up depends on it.
constexpr std::array<std::string_view, 4> kPurposes = {
    "training", "benchmark", "bring-up", "comparison"};

/// What the recipe is checked against. What is not given stays unknown and makes dependent rules
/// open.
struct Target {
  const hw::Profile* hw = nullptr;
  std::string hw_source;    // "--hw", ".epwise.yaml:4", "recipe.yaml:1", "this machine"
  std::optional<int> gpus;  // world size
  std::string gpus_source;
  recipe::Stack stack;
  std::optional<std::string> purpose;  // what the run is for: one of kPurposes
  /// Options of Bridge's performance harness, when it launches the recipe: {"moe_a2a_overlap",
  /// true}.
  std::map<std::string, expr::Value, std::less<>> harness;
  recipe::Environment environment;  // --env and configuration; a bare name is unset on purpose
};

}  // namespace epwise::model
