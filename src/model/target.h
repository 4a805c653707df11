#pragma once

#include <optional>
#include <string>

#include "hw/profile.h"
#include "recipe/load.h"
#include "recipe/stack.h"

namespace epwise::model {

/// What the recipe is checked against. What is not given stays unknown and makes dependent rules
/// open.
struct Target {
  const hw::Profile* hw = nullptr;
  std::string hw_source;    // "--hw", ".epwise.yaml:4", "recipe.yaml:1", "this machine"
  std::optional<int> gpus;  // world size
  std::string gpus_source;
  recipe::Stack stack;
  recipe::Environment environment;  // --env and configuration; a bare name is unset on purpose
};

}  // namespace epwise::model
