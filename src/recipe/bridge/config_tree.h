#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "expr/value.h"
#include "recipe/recipe.h"
#include "text/mark.h"
#include "yaml/node.h"
#include "yaml/scalar.h"

namespace epwise::recipe {

/// A node of a Megatron-Bridge configuration: a YAML tree with typed leaves, which overrides and
/// interpolations change. Every key stands once (the last of duplicates wins, as in PyYAML).
struct ConfigNode {
  enum class Kind : std::uint8_t { value, list, mapping };
  Kind kind = Kind::value;
  std::string name;          // key in the parent mapping; empty in lists and for the root
  expr::Value value;         // of a leaf; a text may still hold `${…}`
  bool plain = false;        // a YAML scalar without quotes: its type is the loader's idea
  std::string written = {};  // a YAML scalar's text, for "did you mean 1.0e-6"
  text::Mark mark;
  text::Mark key;
  Origin origin = Origin::written;
  std::string spelling = {};  // of an override: "++model.x"; else empty
  std::vector<ConfigNode> children =
      {};  // entries of a mapping in the order of their first appearance, items of a list

  bool is_mapping() const { return kind == Kind::mapping; }

  bool is_list() const { return kind == Kind::list; }

  bool is_null() const { return kind == Kind::value && value.is_unset(); }

  const ConfigNode* find(std::string_view key) const;
  ConfigNode* find(std::string_view key);
};

/// The tree with every scalar typed as `dialect` has it.
ConfigNode config_tree(const yaml::Node& node, yaml::Dialect dialect);

/// Merges as OmegaConf does: mappings key by key, anything else is replaced. What both have stands
/// where `over` has it.
void lay_over(ConfigNode& tree, ConfigNode over);

/// A scalar's value in that dialect.
expr::Value scalar_value(const yaml::Node& node, yaml::Dialect dialect);

}  // namespace epwise::recipe
