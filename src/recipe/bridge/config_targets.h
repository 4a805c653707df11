#pragma once

#include <string_view>
#include <vector>

#include "recipe/bridge/config_tree.h"
#include "text/diagnostic.h"

namespace epwise::recipe {

/// The `_target_` of a mapping; empty when it has none.
std::string_view target_of(const ConfigNode& node);

/// Whether Megatron-Bridge instantiates such a target at all, by its package.
bool is_allowed(std::string_view target);

/// What a mapping stands for, as rules see it: the name of an enumerator ({_target_: …Signals,
/// _args_: [15], _name_: SIGTERM} → "SIGTERM"), the target itself for functions, dtypes and objects
/// ("torch.bfloat16"), else the list of its keys.
expr::Value mapping_value(const ConfigNode& node);

/// A leaf's value, a list of such, or mapping_value.
expr::Value node_value(const ConfigNode& node);

/// Mappings that Megatron-Bridge refuses to instantiate: a target outside of its allowed packages,
/// a dtype that is called, `_call_: false` beside other keys, a `_partial_` that is no boolean.
/// Rule id recipe/bad-target.
void check_targets(const ConfigNode& root, std::vector<text::Diagnostic>& diagnostics);

}  // namespace epwise::recipe
