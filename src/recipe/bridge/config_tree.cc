#include "recipe/bridge/config_tree.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "recipe/recipe.h"

namespace epwise::recipe {

namespace {

using expr::Value;
using yaml::Node;

ConfigNode yaml_leaf(const Node& node, yaml::Dialect dialect) {
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
  const std::string_view open = template_expression(node.scalar);
  const bool value = !open.empty() && node.scalar.find('\n') == std::string::npos;
  return value ? Value::unknown({std::string(open)}) : Value::of(node.scalar);
}

ConfigNode config_tree(const Node& node, yaml::Dialect dialect) {
  if (!node.is_mapping() && !node.is_sequence()) {
    return yaml_leaf(node, dialect);
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

namespace {

using expr::Value;

constexpr std::string_view kTarget = "_target_";

const std::string* text_of(const ConfigNode& node, std::string_view key) {
  const ConfigNode* child = node.find(key);
  return child == nullptr ? nullptr : child->value.text();
}

}  // namespace

bool is_dtype(std::string_view target) {
  constexpr std::array<std::string_view, 9> kTypes = {
      "bfloat16", "float16", "float32", "float64", "half", "float", "uint8", "int32", "int64"};
  constexpr std::string_view kTorch = "torch.";
  const bool torch = target.substr(0, kTorch.size()) == kTorch;
  return torch &&
         (std::find(kTypes.begin(), kTypes.end(), target.substr(kTorch.size())) != kTypes.end() ||
          target.substr(0, kTorch.size() + 7) == "torch.float8_");
}

namespace {

/// The only positional argument, for enumerators without a name.
std::optional<Value> only_argument(const ConfigNode& node) {
  const ConfigNode* arguments = node.find("_args_");
  const bool one = arguments != nullptr && arguments->is_list() && arguments->children.size() == 1;
  return one ? std::optional<Value>(arguments->children.front().value) : std::nullopt;
}

bool is_called(const ConfigNode& node) {
  const ConfigNode* call = node.find("_call_");
  return call == nullptr || call->value.is_unknown() || call->value.truthy();
}

/// Targets that Bridge bars since 0.5.1 because they load code, a file or a model.
bool loads_something(std::string_view target) {
  const std::string_view last = target.substr(target.rfind('.') + 1);
  constexpr std::array<std::string_view, 8> kLoaders = {"load_library",
                                                        "LoadLibrary",
                                                        "load_inline",
                                                        "from_pretrained",
                                                        "safe_import",
                                                        "safe_import_from",
                                                        "register_allowed_target_prefix",
                                                        "direct_transformers_import"};
  return std::find(kLoaders.begin(), kLoaders.end(), last) != kLoaders.end() ||
         target == "torch.load" || target == "numpy.load" || target == "torch.hub.load" ||
         target == "torch.utils.cpp_extension.load";
}

class TargetCheck {
 public:
  TargetCheck(const std::vector<std::string>& allowed, std::vector<text::Diagnostic>& diagnostics)
      : allowed_(allowed),
        diagnostics_(diagnostics) {}

  TargetNames result() { return std::move(names_); }

  void run(const ConfigNode& node) {
    for (const ConfigNode& child : node.children) {
      run(child);
    }
    const std::string_view target = target_of(node);
    if (target.empty()) {
      return;
    }
    note(node, target);
    const ConfigNode& place = *node.find(kTarget);
    if (!is_allowed(target, allowed_)) {
      complain(place,
               fmt::format("Megatron-Bridge does not instantiate `{}`", target),
               "a target must be in megatron, torch, nvidia, transformers, numpy, nemo or signal; "
               "if the "
               "program registers another one with register_allowed_target_prefix(), name it with "
               "--allow-target or allowed_targets in .epwise.yaml");
    } else if (!is_called(node) && node.children.size() > 2) {
      complain(
          place,
          fmt::format("`_call_: false` uses `{}` as it is, so no other keys are allowed next to it",
                      target));
    } else if (is_called(node) && is_dtype(target)) {
      complain(place, fmt::format("`{}` is not a function", target), "add `_call_: false`");
    }
    const ConfigNode* partial = node.find("_partial_");
    if (partial != nullptr && partial->value.boolean() == nullptr && !partial->value.is_unknown()) {
      complain(*partial,
               fmt::format("`_partial_` must be true or false, not `{}`",
                           node_value(*partial).to_text()));
    }
  }

 private:
  void complain(const ConfigNode& place, std::string message, std::string help = {}) {
    diagnostics_.push_back(
        {"recipe/bad-target", place.mark, std::move(message), {}, std::move(help)});
  }

  void note(const ConfigNode& node, std::string_view target) {
    constexpr std::array<std::string_view, 4> kCallables = {
        "collate_impl", "hf_filter_lambda", "preprocess_fn", "process_example_fn"};
    add(target.substr(0, target.find('.')), names_.packages);
    if (std::find(kCallables.begin(), kCallables.end(), node.name) != kCallables.end()) {
      add(node.name, names_.callables);
    }
    if (loads_something(target)) {
      add(target, names_.loaders);
    }
  }

  static void add(std::string_view name, std::vector<std::string>& names) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.emplace_back(name);
    }
  }

  const std::vector<std::string>& allowed_;
  std::vector<text::Diagnostic>& diagnostics_;
  TargetNames names_;
};

}  // namespace

bool is_allowed(std::string_view target, const std::vector<std::string>& more) {
  constexpr std::array<std::string_view, 7> kPackages = {
      "megatron.", "torch.", "nvidia.", "transformers.", "numpy.", "nemo.", "signal."};
  return target == "functools.partial" ||
         std::any_of(more.begin(),
                     more.end(),
                     [target](const std::string& prefix) { return target.starts_with(prefix); }) ||
         std::any_of(kPackages.begin(), kPackages.end(), [target](auto package) {
           return target.substr(0, package.size()) == package;
         });
}

std::string_view target_of(const ConfigNode& node) {
  const std::string* target = node.is_mapping() ? text_of(node, kTarget) : nullptr;
  return target == nullptr ? std::string_view() : std::string_view(*target);
}

Value mapping_value(const ConfigNode& node) {
  const std::string_view target = target_of(node);
  if (target.empty()) {
    Value::List keys;
    for (const ConfigNode& child : node.children) {
      keys.push_back(Value::of(child.name));
    }
    return Value::of(std::move(keys));
  }
  if (const std::string* name = text_of(node, "_name_")) {
    return Value::of(*name);
  }
  return is_called(node) ? only_argument(node).value_or(Value::of(target)) : Value::of(target);
}

Value node_value(const ConfigNode& node) {
  if (node.is_mapping()) {
    return mapping_value(node);
  }
  if (!node.is_list()) {
    return node.value;
  }
  Value::List items;
  std::vector<std::string> needs;
  for (const ConfigNode& child : node.children) {
    Value item = node_value(child);
    if (const expr::Unknown* unknown = item.unknown()) {
      needs.insert(needs.end(), unknown->needs.begin(), unknown->needs.end());
    }
    items.push_back(std::move(item));
  }
  return needs.empty() ? Value::of(std::move(items)) : Value::unknown(std::move(needs));
}

TargetNames check_targets(const ConfigNode& root,
                          const std::vector<std::string>& allowed,
                          std::vector<text::Diagnostic>& diagnostics) {
  TargetCheck check(allowed, diagnostics);
  check.run(root);
  return check.result();
}

}  // namespace epwise::recipe
