#include "recipe/bridge/config_tree.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace epwise::recipe {
namespace {

using expr::Value;
using yaml::Node;

ConfigNode leaf(const Node& node, yaml::Dialect dialect) {
  ConfigNode out;
  out.mark = node.mark;
  out.plain = node.plain;
  out.written = node.scalar;
  out.value = scalar_value(node, dialect);
  return out;
}

}  // namespace

const ConfigNode* ConfigNode::find(std::string_view key_name) const {
  const auto found =
      std::find_if(children.begin(), children.end(), [key_name](const ConfigNode& child) {
        return child.name == key_name;
      });
  return found == children.end() || kind != Kind::mapping ? nullptr : &*found;
}

ConfigNode* ConfigNode::find(std::string_view key_name) {
  return const_cast<ConfigNode*>(std::as_const(*this).find(key_name));
}

Value scalar_value(const Node& node, yaml::Dialect dialect) {
  const yaml::Typed typed = yaml::type_scalar(node, dialect);
  switch (typed.type) {
    case yaml::ScalarType::null:
      return Value::unset();
    case yaml::ScalarType::boolean:
      return Value::of(typed.boolean);
    case yaml::ScalarType::integer:
      return typed.big ? Value::of(typed.real) : Value::of(typed.integer);
    case yaml::ScalarType::real:
      return Value::of(typed.real);
    case yaml::ScalarType::text:
      break;
  }
  return Value::of(node.scalar);
}

ConfigNode config_tree(const Node& node, yaml::Dialect dialect) {
  if (!node.is_mapping() && !node.is_sequence()) {
    return leaf(node, dialect);
  }
  ConfigNode out;
  out.mark = node.mark;
  if (node.is_sequence()) {
    out.kind = ConfigNode::Kind::list;
    out.children.reserve(node.items.size());
    for (const Node& item : node.items) {
      out.children.push_back(config_tree(item, dialect));
      out.children.back().key = item.mark;
    }
    return out;
  }
  out.kind = ConfigNode::Kind::mapping;
  std::unordered_map<std::string_view, std::size_t> places;
  out.children.reserve(node.entries.size());
  for (const yaml::Entry& entry : node.entries) {
    ConfigNode child = config_tree(entry.value, dialect);
    child.name = entry.key;
    child.key = entry.key_mark;
    const auto [place, fresh] = places.try_emplace(entry.key, out.children.size());
    if (fresh) {
      out.children.push_back(std::move(child));
    } else {
      out.children[place->second] = std::move(child);
    }
  }
  return out;
}

void lay_over(ConfigNode& tree, ConfigNode over) {
  if (!tree.is_mapping() || !over.is_mapping()) {
    tree = std::move(over);
    return;
  }
  tree.mark = over.mark;
  tree.key = over.key;
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < tree.children.size(); ++i) {
    places.emplace(tree.children[i].name, i);
  }
  for (ConfigNode& child : over.children) {
    const auto place = places.find(child.name);
    if (place == places.end()) {
      tree.children.push_back(std::move(child));
    } else {
      lay_over(tree.children[place->second], std::move(child));
    }
  }
}

}  // namespace epwise::recipe
