#include "recipe/bridge/bridge_yaml.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "expr/python_text.h"
#include "recipe/arguments/fields.h"
#include "recipe/bridge/config_schema.h"
#include "recipe/bridge/config_targets.h"
#include "recipe/bridge/config_tree.h"
#include "recipe/bridge/other_release.h"
#include "recipe/bridge/unknown_keys.h"
#include "recipe/bridge/unsupported_values.h"
#include "recipe/overrides/interpolation.h"
#include "recipe/overrides/overrides.h"
#include "recipe/overrides/scalar_types.h"
#include "recipe/overrides/word_choices.h"

namespace epwise::recipe {
namespace {

using expr::Value;

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

/// model.transformer.x is the same setting as model.x of the older providers.
std::string canonical(const std::string& path) {
  constexpr std::string_view kNested = "model.transformer.";
  return starts_with(path, kNested) ? "model." + path.substr(kNested.size()) : path;
}

/// A file that says neither the size of a model nor its class is no recipe by itself: it changes
/// one that stands elsewhere.
bool tells_the_model(const ConfigNode& tree) {
  const auto has = [](const ConfigNode* node) {
    for (const std::string_view key : {"_target_",
                                       "num_layers",
                                       "hidden_size",
                                       "num_moe_experts",
                                       "hybrid_layer_pattern",
                                       "hybrid_override_pattern"}) {
      if (node != nullptr && node->find(key) != nullptr) {
        return true;
      }
    }
    return false;
  };
  const ConfigNode* model = tree.find("model");
  return has(model) || (model != nullptr && has(model->find("transformer")));
}

class Reader {
 public:
  Reader(Recipe& recipe, const Environment& environment, const Vocabulary& vocabulary)
      : recipe_(recipe),
        environment_(environment),
        vocabulary_(vocabulary) {}

  void run(const Configuration& text) {
    const yaml::Node& lowest = text.base != nullptr ? *text.base : text.root;
    const bool dump = lowest.find("_target_") != nullptr;
    ConfigNode tree = config_tree(lowest, dump ? yaml::Dialect::pyyaml : yaml::Dialect::omegaconf);
    if (!tree.is_mapping()) {
      tree = {};
      tree.kind = ConfigNode::Kind::mapping;
    }
    check_supported(lowest, dump, recipe_.diagnostics);
    if (text.base != nullptr) {
      lay_over(tree, config_tree(text.root, yaml::Dialect::omegaconf));
      check_supported(text.root, false, recipe_.diagnostics);
    }
    use_classes(tree);
    const ConfigSchema schema = schema_of();
    apply_overrides(tree, text.overrides, schema, recipe_.diagnostics);
    interpolate(tree, environment_, schema, recipe_.diagnostics);
    check_targets(tree, recipe_.diagnostics);
    for (const ConfigNode& section : tree.children) {
      read_section(section, dump);
    }
    recipe_.raw["raw.partial"] = Value::of(!dump);
    if (!dump && !tells_the_model(tree)) {
      recipe_.raw["raw.unwritten"] = Value::unknown({"the base recipe"});
    }
    recipe_.raw["raw.env_booleans"] = text_list(env_booleans_);
    recipe_.raw["raw.env_nonscalar"] = text_list(env_nonscalar_);
    recipe_.raw["raw.env_overridden"] = text_list(env_overridden_);
    recipe_.raw["raw.unknown_classes"] = text_list(unjudged_);
    report_unknown_keys(tree);
    report_types();
    if (classed_) {
      recipe_.vocabulary = std::make_shared<Vocabulary>(std::move(vocabulary_));
    }
  }

 private:
  void use_classes(const ConfigNode& tree) {
    for (const ConfigNode& section : tree.children) {
      const std::string_view target = target_of(section);
      classed_ = classed_ || !target.empty();
      if (!target.empty() && !vocabulary_.use_class(section.name, target)) {
        unjudged_.push_back(section.name);
        if (vocabulary_.has_section(section.name) && is_allowed(target)) {
          recipe_.diagnostics.push_back(unknown_class(section, vocabulary_));
        }
      }
      if (section.name == "model") {
        recipe_.model_class = target;
      }
      if (!target.empty()) {
        recipe_.raw["raw." + section.name + "_class"] = Value::of(target);
      }
    }
  }

  bool is_unjudged(std::string_view section) const {
    return std::find(unjudged_.begin(), unjudged_.end(), section) != unjudged_.end();
  }

  ConfigSchema schema_of() const {
    ConfigSchema schema;
    schema.knows = [this](std::string_view path) {
      return is_unjudged(path.substr(0, path.find('.'))) || vocabulary_.knows(path);
    };
    schema.suggestion = [this](std::string_view path) { return meant_instead(path, vocabulary_); };
    return schema;
  }

  /// What lies below the keys of a section belongs to objects of several classes.
  static bool is_deep(std::string_view path) {
    constexpr std::string_view kTransformer = "model.transformer.";
    path.remove_prefix(starts_with(path, kTransformer) ? kTransformer.size() - 1 : 0);
    return std::count(path.begin(), path.end(), '.') > 1;
  }

  // ---- sections

  void read_section(const ConfigNode& section, bool dump) {
    if (starts_with(section.name, "_")) {
      return;
    }
    if (section.name == "env_vars" && vocabulary_.has_section("env_vars")) {
      read_variables(section);
      return;
    }
    if (!section.is_null()) {
      recipe_.sections[section.name] = section.key;
    }
    if (!section.is_mapping()) {
      add_field(section.name, section);
      return;
    }
    if (dump && vocabulary_.has_section(section.name) && target_of(section).empty()) {
      recipe_.diagnostics.push_back(
          {"recipe/section-target",
           section.key,
           fmt::format("the section `{}` has no `_target_`, so that the "
                       "loader makes a mapping of it, no configuration",
                       section.name),
           {},
           "name its class in `_target_`, as dumps do for every section"});
    }
    read_fields(section, section.name);
  }

  void read_fields(const ConfigNode& node, const std::string& path) {
    for (const ConfigNode& child : node.children) {
      const std::string name = path + "." + child.name;
      add_field(name, child);
      if (child.is_mapping()) {
        read_fields(child, name);
      }
    }
  }

  void add_field(const std::string& path, const ConfigNode& node) {
    Field field;
    field.name = canonical(path);
    field.value = node_value(node);
    field.key = node.key;
    field.mark = node.mark;
    field.origin = node.origin;
    field.spelling = node.spelling.empty() ? path : node.spelling;
    if (!node.is_mapping()) {
      scalars_.push_back(
          {path, vocabulary_.find(path), field.value, node.plain, node.written, node.mark});
    }
    std::string name = field.name;
    recipe_.fields.insert_or_assign(std::move(name), std::move(field));
  }

  // ---- env_vars

  /// Values become text with str(), so that a YAML `true` is the text "True".
  void read_variables(const ConfigNode& section) {
    for (const ConfigNode& child : section.children) {
      Variable variable;
      variable.key = child.key;
      variable.mark = child.mark;
      const Value& value = child.value;
      variable.was_text = child.kind == ConfigNode::Kind::value && value.text() != nullptr;
      if (child.kind != ConfigNode::Kind::value || value.is_unset()) {
        env_nonscalar_.push_back(child.name);
      } else if (!value.is_known()) {
        variable.value = value;
      } else {
        variable.value = Value::of(expr::python_text(value));
      }
      if (value.boolean() != nullptr) {
        env_booleans_.push_back(child.name);
      }
      const auto given = environment_.find(child.name);
      if (given != environment_.end() && given->second && variable.value.is_known() &&
          variable.value.text() != nullptr && *variable.value.text() != *given->second) {
        env_overridden_.push_back(child.name);
      }
      recipe_.variables.insert_or_assign(child.name, std::move(variable));
    }
  }

  // ---- findings

  void append(std::vector<text::Diagnostic> diagnostics) {
    std::move(diagnostics.begin(), diagnostics.end(), std::back_inserter(recipe_.diagnostics));
  }

  void report_unknown_keys(const ConfigNode& tree) {
    UnknownKeys unknown = find_unknown_keys(tree, vocabulary_, unjudged_);
    fold_other_release(tree, vocabulary_, unknown);
    recipe_.raw["raw.unknown_keys"] = text_list(unknown.paths);
    append(std::move(unknown.diagnostics));
  }

  void report_types() {
    TypeFindings types = check_types(scalars_);
    recipe_.raw["raw.boolean_texts"] = text_list(types.boolean_texts);
    append(std::move(types.diagnostics));
    std::erase_if(scalars_, [this](const TypedScalar& scalar) {
      return is_unjudged(std::string_view(scalar.path).substr(0, scalar.path.find('.'))) ||
             is_deep(scalar.path);
    });
    append(check_words(scalars_, vocabulary_.version()));
  }

  Recipe& recipe_;
  const Environment& environment_;
  Vocabulary vocabulary_;  // a copy, narrowed to the classes that the sections name
  bool classed_ = false;
  std::vector<std::string> unjudged_;
  std::vector<TypedScalar> scalars_;
  std::vector<std::string> env_booleans_;
  std::vector<std::string> env_nonscalar_;
  std::vector<std::string> env_overridden_;
};

}  // namespace

void read_bridge(Recipe& recipe,
                 const Configuration& text,
                 const Environment& environment,
                 const Vocabulary& vocabulary) {
  Reader(recipe, environment, vocabulary).run(text);
}

}  // namespace epwise::recipe
