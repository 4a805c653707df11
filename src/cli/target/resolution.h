#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/settings/settings.h"
#include "cli/target/this_machine.h"
#include "lint/knowledge.h"
#include "model/target.h"
#include "recipe/framework.h"

namespace epwise::cli {

/// What all sources together say about one recipe.
struct ResolvedTarget {
  model::Target target;
  std::optional<recipe::Framework> framework;
  std::string base;  // path of the recipe that overrides are laid over; may be empty
};

/// Puts the sources together, the strongest first: flags and EPWISE_* variables, the recipe's
/// header, the entry of `targets`, the rest of the configuration. hw, gpus and framework come from
/// the strongest that names them; stack and env are joined name by name, except that a container or
/// `auto` in a stronger source replaces the stack of all weaker ones. `hw: auto` also gives the
/// number of GPUs of the job around this process, when nobody names one. Throws world::UsageError
/// for names that don't exist, texts that are no numbers, and an `auto` that found nothing, naming
/// the source and the nearest name.
ResolvedTarget resolve_target(std::span<const TargetSettings* const> sources,
                              const lint::Knowledge& knowledge,
                              const ThisMachine& machine);

/// The version of `framework` that the stack names; Megatron-LM goes by its own or by
/// Megatron-Core's, which are released together. Empty when none is named.
std::string framework_version(const recipe::Stack& stack, recipe::Framework framework);

}  // namespace epwise::cli
