#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "expr/value.h"
#include "recipe/recipe.h"
#include "yaml/node.h"
#include "yaml/scalar.h"

namespace epwise::recipe {

/// The schema of a framework's configuration, independent of one file's text.
struct ConfigSchema {
  /// Whether a dotted path ("model.num_layers", "ddp") exists in every configuration, or cannot be
  /// checked.
  std::function<bool(std::string_view path)> knows = [](std::string_view) { return false; };
  /// Text to append after "there is no `model.num_layer`": ", did you mean `model.num_layers`?"
  std::function<std::string(std::string_view path)> suggestion = [](std::string_view) {
    return std::string();
  };
};

/// A node of a Megatron-Bridge configuration: a YAML tree with typed leaves, modified by overrides
/// and interpolations. Every key exists once (the last of duplicates wins, as in PyYAML).
struct ConfigNode {
  enum class Kind : std::uint8_t { value, list, mapping };
  Kind kind = Kind::value;
  std::string name;    // key in the parent mapping; empty in lists and for the root
  expr::Value value;   // of a leaf; a text may still contain `${…}`
  bool plain = false;  // an unquoted YAML scalar: its type is chosen by the loader
  // a YAML scalar's text, for "did you mean 1.0e-6"; an unknown word with its `$X`
  std::string written = {};
  text::Mark mark;
  text::Mark key;
  Origin origin = Origin::written;
  std::string spelling = {};  // of an override: "++model.x"; otherwise empty
  // entries of a mapping in order of first appearance, items of a list
  std::vector<ConfigNode> children = {};

  bool is_mapping() const { return kind == Kind::mapping; }

  bool is_list() const { return kind == Kind::list; }

  bool is_null() const { return kind == Kind::value && value.is_unset(); }

  const ConfigNode* find(std::string_view key) const;
  ConfigNode* find(std::string_view key);
};

/// The tree with every scalar typed according to `dialect`.
ConfigNode config_tree(const yaml::Node& node, yaml::Dialect dialect);

/// Merges like OmegaConf: mappings key by key, anything else is replaced. Common keys keep the
/// position they have in `over`.
void lay_over(ConfigNode& tree, ConfigNode over);

/// A scalar's value in that dialect.
expr::Value scalar_value(const yaml::Node& node, yaml::Dialect dialect);

/// The `_target_` of a mapping; empty when it has none.
std::string_view target_of(const ConfigNode& node);

/// Whether a target is a data type: "torch.bfloat16".
bool is_dtype(std::string_view target);

/// Whether Megatron-Bridge instantiates such a target, judging by its package.
bool is_allowed(std::string_view target, const std::vector<std::string>& more = {});

/// The value of a mapping for rules: the name of an enumerator ({_target_: …Signals, _args_: [15],
/// _name_: SIGTERM} → "SIGTERM"), the target itself for functions, dtypes and objects
/// ("torch.bfloat16"), otherwise the list of its keys.
expr::Value mapping_value(const ConfigNode& node);

/// A leaf's value, a list of such, or mapping_value.
expr::Value node_value(const ConfigNode& node);

/// What releases differ about: packages of targets ("signal"), fields for callables that have a
/// target ("dataset.process_example_fn"), and targets that load code or files ("torch.load").
struct TargetNames {
  std::vector<std::string> packages;
  std::vector<std::string> callables;
  std::vector<std::string> loaders;
};

/// Mappings that Megatron-Bridge refuses to instantiate: a target outside the allowed packages, a
/// dtype that is called, `_call_: false` next to other keys, a `_partial_` that is not a boolean.
/// Rule id recipe/bad-target.
TargetNames check_targets(const ConfigNode& root,
                          const std::vector<std::string>& allowed,
                          std::vector<text::Diagnostic>& diagnostics);

}  // namespace epwise::recipe
