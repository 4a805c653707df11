#pragma once

#include <vector>

#include "base/text/diagnostic.h"
#include "recipe/arguments/arguments.h"
#include "recipe/bridge/config_tree.h"

namespace epwise::recipe {

/// Applies Hydra overrides to a configuration, in order, as Megatron-Bridge does: a key must exist
/// unless `+` or `++` is before it (`+` refuses one that has a value), `~` removes it, a mapping
/// merges into a mapping, anything else replaces. What cannot be applied is a recipe/override
/// diagnostic at its location in the word and changes nothing.
///   model.num_layers=8 +env_vars.NCCL_DEBUG=INFO ~comm_overlap
///   'model.recompute_modules=[mlp,moe_act]'
void apply_overrides(ConfigNode& root,
                     const std::vector<Word>& words,
                     const ConfigSchema& schema,
                     std::vector<text::Diagnostic>& diagnostics);

}  // namespace epwise::recipe
