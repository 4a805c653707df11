#include "recipe/bridge/bridge_yaml.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/diagnostic.h"
#include "expr/python_text.h"
#include "recipe/arguments/arguments.h"
#include "recipe/bridge/config_tree.h"
#include "recipe/bridge/unknown_keys.h"
#include "recipe/models/model_config.h"
#include "recipe/overrides/interpolation.h"
#include "recipe/overrides/overrides.h"
#include "recipe/overrides/scalar_types.h"
#include "yaml/node.h"
#include "yaml/parse.h"

namespace epwise::recipe {

/// Values of a Megatron-Bridge file that its loader rejects: tags beyond the plain ones (!!set,
/// !!python/…), dates, `=`, and in a dump `???`, OmegaConf's mark for a value that still has to be
/// set. Rule id recipe/unsupported-value.
void check_supported(const yaml::Node& root, bool dump, std::vector<text::Diagnostic>& diagnostics);

namespace {

using expr::Value;

/// model.transformer.x is the same setting as model.x of the older providers.
std::string canonical(const std::string& path) {
  constexpr std::string_view kNested = "model.transformer.";
  return path.starts_with(kNested) ? "model." + path.substr(kNested.size()) : path;
}

/// A file with neither the size of a model nor its class is not a complete recipe: it modifies
/// another one. Words of the command line do not complete it, unless there is no file: fewer layers
/// for a proxy run are the most common override.
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

/// Sections whose fields the validation reads without a check for null, whatever their type says.
constexpr std::array<std::string_view, 11> kReadSections = {"train",
                                                            "model",
                                                            "optimizer",
                                                            "ddp",
                                                            "validation",
                                                            "scheduler",
                                                            "logger",
                                                            "checkpoint",
                                                            "dist",
                                                            "rng",
                                                            "env_vars"};

/// Arguments of the container that have no default.
constexpr std::array<std::string_view, 8> kRequiredSections = {
    "train", "model", "optimizer", "scheduler", "dataset", "logger", "tokenizer", "checkpoint"};

/// Sections that the validation does not read: a mapping in their place fails after it.
bool is_read_later(std::string_view section) {
  constexpr std::array<std::string_view, 7> kLater = {"dataset",
                                                      "tokenizer",
                                                      "ft",
                                                      "straggler",
                                                      "inprocess_restart",
                                                      "rerun_state_machine",
                                                      "optimizer_config_override_provider"};
  return std::find(kLater.begin(), kLater.end(), section) != kLater.end();
}

constexpr auto kSectionsOfDump = 8;

class BridgeYamlReader {
 public:
  BridgeYamlReader(Recipe& recipe, const Environment& environment, const Vocabulary& vocabulary)
      : recipe_(recipe),
        environment_(environment),
        vocabulary_(&vocabulary) {}

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
    const bool only_words = text.base == nullptr && text.root.entries.empty();
    const bool file_is_whole = tells_the_model(tree);
    apply_overrides(tree, text.overrides, schema, recipe_.diagnostics);
    const bool whole = only_words ? tells_the_model(tree) : file_is_whole;
    interpolate(tree, environment_, schema, recipe_.diagnostics);
    const TargetNames names = check_targets(tree, recipe_.allowed_targets, recipe_.diagnostics);
    recipe_.raw["raw.target_packages"] = text_list(names.packages);
    recipe_.raw["raw.callable_targets"] = text_list(names.callables);
    recipe_.raw["raw.loading_targets"] = text_list(names.loaders);
    report_unknown_keys(tree, dump);
    report_sections(tree, dump);
    for (const ConfigNode& section : tree.children) {
      read_section(section, dump);
    }
    note_vision(tree);
    recipe_.raw["raw.partial"] = Value::of(!dump);
    if (!dump && !whole) {
      recipe_.raw["raw.unwritten"] = Value::unknown({"the base recipe"});
    }
    recipe_.raw["raw.plain_sections"] = text_list(plain_sections_of(tree));
    recipe_.raw["raw.sequences"] = text_list(sequences_of(tree, "tokenizer"));
    recipe_.raw["raw.env_booleans"] = text_list(env_booleans_);
    recipe_.raw["raw.env_nonscalar"] = text_list(env_nonscalar_);
    recipe_.raw["raw.env_bad_names"] = text_list(env_bad_names_);
    recipe_.raw["raw.env_overridden"] = text_list(env_overridden_);
    recipe_.raw["raw.unknown_classes"] = text_list(unjudged_);
    report_types();
  }

 private:
  void use_classes(const ConfigNode& tree) {
    Vocabulary::Classes classes;
    for (const ConfigNode& section : tree.children) {
      const std::string_view target = target_of(section);
      if (section.name == "model") {
        recipe_.model_class = target;
      }
      if (!target.empty()) {
        recipe_.raw["raw." + section.name + "_class"] = Value::of(target);
        classes.emplace_back(section.name, target);
      }
    }
    if (classes.empty()) {
      return;
    }
    const auto narrowed = vocabulary_->narrowed(classes);
    vocabulary_ = &narrowed->vocabulary;
    recipe_.vocabulary = {narrowed, vocabulary_};
    unjudged_ = narrowed->unknown;
    for (const ConfigNode& section : tree.children) {
      if (is_unjudged(section.name) && vocabulary_->has_section(section.name) &&
          is_allowed(target_of(section), recipe_.allowed_targets)) {
        recipe_.diagnostics.push_back(unknown_class(section, *vocabulary_));
      }
    }
  }

  /// The encoder of a vision-language model. A dump writes its vision_config as a call of from_dict.
  void note_vision(const ConfigNode& tree) {
    const ConfigNode* model = tree.find("model");
    const ConfigNode* config = model == nullptr ? nullptr : model->find("vision_config");
    const ConfigNode* inner = config == nullptr ? nullptr : config->find("config_dict");
    recipe_.raw.merge(
        vision_facts(inner != nullptr ? inner : config, vision_kind(recipe_.model_class)));
  }

  /// Sections that are neither mappings nor null.
  static std::vector<std::string> plain_sections_of(const ConfigNode& tree) {
    std::vector<std::string> names;
    for (const ConfigNode& section : tree.children) {
      if (!section.is_mapping() && !section.is_null()) {
        names.push_back(section.name);
      }
    }
    return names;
  }

  /// Fields of a section that are lists, which rules cannot tell from mappings.
  static std::vector<std::string> sequences_of(const ConfigNode& tree, std::string_view name) {
    std::vector<std::string> names;
    if (const ConfigNode* section = tree.find(name)) {
      for (const ConfigNode& field : section->children) {
        if (field.is_list()) {
          names.push_back(section->name + "." + field.name);
        }
      }
    }
    return names;
  }

  bool is_unjudged(std::string_view section) const {
    return std::find(unjudged_.begin(), unjudged_.end(), section) != unjudged_.end();
  }

  ConfigSchema schema_of() const {
    ConfigSchema schema;
    schema.knows = [this](std::string_view path) {
      return is_unjudged(path.substr(0, path.find('.'))) || vocabulary_->knows(path);
    };
    schema.suggestion = [this](std::string_view path) { return meant_instead(path, *vocabulary_); };
    return schema;
  }

  /// Keys below those of a section belong to objects of several classes.
  static bool is_deep(std::string_view path) {
    constexpr std::string_view kTransformer = "model.transformer.";
    path.remove_prefix(path.starts_with(kTransformer) ? kTransformer.size() - 1 : 0);
    return std::count(path.begin(), path.end(), '.') > 1;
  }

  // ---- sections

  /// Sections that a name or a rule's own check (REC301) may stand for.
  static bool may_be_plain(std::string_view section) {
    constexpr std::array<std::string_view, 4> kNames = {
        "mixed_precision", "nvrx_straggler", "tensor_inspect", "peft"};
    return std::ranges::find(kNames, section) != kNames.end();
  }

  /// Whether the validation reads the fields of what is written, whatever it is.
  static bool is_read(const ConfigNode& section) {
    return section.value.is_known() &&
           (std::ranges::find(kReadSections, section.name) != kReadSections.end() ||
            (section.name == "profiling" && !section.is_null()));
  }

  void read_section(const ConfigNode& section, bool dump) {
    if (section.name.starts_with("_")) {
      return;
    }
    if (section.name == "env_vars" && vocabulary_->has_section("env_vars")) {
      read_variables(section);
      return;
    }
    const bool plain = !section.is_null() && !section.is_mapping();
    // A plain value has no fields, and a dataset's are read only if it is of some class.
    const bool classless = plain || (dump && target_of(section).empty());
    if (!section.is_null() && !(classless && section.name == "dataset")) {
      recipe_.sections[section.name] = section.key;
    }
    if (!section.is_mapping()) {
      if (plain && vocabulary_->has_section(section.name) && !may_be_plain(section.name) &&
          !(dump && is_read(section))) {
        recipe_.diagnostics.push_back(
            {"recipe/plain-section",
             section.mark,
             fmt::format("`{}` must be a mapping of its fields", section.name),
             {},
             "write the fields below it, or leave the section out"});
      }
      add_field(section.name, section);
      return;
    }
    if (dump && vocabulary_->has_section(section.name) && target_of(section).empty()) {
      recipe_.diagnostics.push_back(
          {is_read_later(section.name) ? "recipe/late-section-target" : "recipe/section-target",
           section.key,
           fmt::format("the section `{}` has no `_target_`, so the loader turns it into a mapping, "
                       "not a configuration",
                       section.name),
           {},
           "name its class in `_target_`, as dumps do for every section"});
    }
    if (classless && section.name == "dataset") {
      add_field(section.name, section);  // written, and no section
    }
    read_fields(section, section.name);
  }

  void read_fields(const ConfigNode& node, const std::string& path) {
    for (const ConfigNode& child : node.children) {
      const std::string name = path + "." + child.name;
      if (dropped_.contains(name)) {
        recipe_.dropped.push_back(field_of(name, child));
        continue;
      }
      add_field(name, child);
      if (child.is_mapping()) {
        read_fields(child, name);
      }
    }
  }

  Field field_of(const std::string& path, const ConfigNode& node) const {
    Field field;
    field.name = canonical(path);
    field.value = node_value(node);
    field.key = node.key;
    field.mark = node.mark;
    field.origin = node.origin;
    field.spelling = node.spelling.empty() ? path : node.spelling;
    return field;
  }

  void add_field(const std::string& path, const ConfigNode& node) {
    Field field = field_of(path, node);
    if (!node.is_mapping()) {
      scalars_.push_back(
          {path, vocabulary_->find(path), field.value, node.plain, node.written, node.mark});
    }
    std::string name = field.name;
    recipe_.fields.insert_or_assign(std::move(name), std::move(field));
  }

  // ---- env_vars

  /// Values are converted with str(), so a YAML `true` becomes the text "True".
  void read_variables(const ConfigNode& section) {
    for (const ConfigNode& child : section.children) {
      Variable variable;
      variable.key = child.key;
      variable.mark = child.mark;
      const Value& value = child.value;
      variable.was_text = child.kind == ConfigNode::Kind::value && value.text() != nullptr;
      const bool scalar = child.kind == ConfigNode::Kind::value && !value.is_unset();
      // An empty name is refused before its value, one that the system refuses after it.
      if (child.name.empty() || (scalar && child.name.find('=') != std::string::npos)) {
        env_bad_names_.push_back(child.name);
      }
      if (!scalar) {
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

  /// What the loader of a dump drops has no effect on anything. An override of such a key is an
  /// error of its own.
  void report_unknown_keys(const ConfigNode& tree, bool dump) {
    UnknownKeys unknown = find_unknown_keys(tree, *vocabulary_, unjudged_);
    for (std::size_t i = 0; dump && i < unknown.paths.size(); ++i) {
      if (unknown.diagnostics[i].rule == "recipe/unknown-key") {
        dropped_.insert(unknown.paths[i]);
      }
    }
    fold_other_release(tree, *vocabulary_, unknown);
    recipe_.raw["raw.unknown_keys"] = text_list(unknown.paths);
    append(yaml::readable_list(std::move(unknown.diagnostics)));
  }

  void report_sections(const ConfigNode& tree, bool dump) {
    if (!dump) {
      report_missing_target(tree);
      return;
    }
    report_missing_sections(tree);
    for (const ConfigNode& section : tree.children) {
      if (!section.is_mapping() && is_read(section) && vocabulary_->has_section(section.name)) {
        recipe_.diagnostics.push_back(
            {"recipe/null-section",
             section.key,
             fmt::format("the section `{}` is {}, and the launch reads its fields",
                         section.name,
                         section.is_null() ? "null" : "no mapping"),
             {},
             "remove the line to get the defaults, or give the section its class and fields"});
      }
    }
  }

  /// The container is created with the sections of the file as arguments.
  void report_missing_sections(const ConfigNode& tree) {
    std::vector<std::string> missing;
    for (const std::string_view name : kRequiredSections) {
      if (tree.find(name) == nullptr) {
        missing.push_back(fmt::format("`{}`", name));
      }
    }
    if (missing.empty()) {
      return;
    }
    recipe_.diagnostics.push_back(
        {"recipe/missing-section",
         tree.find("_target_")->key,
         fmt::format("a dump needs all of its sections, and {} {} missing",
                     fmt::join(missing, ", "),
                     missing.size() == 1 ? "is" : "are"),
         {},
         "add them, or remove the `_target_` at the top to use the file as overrides of a recipe"});
  }

  /// A dump whose first line is lost: nearly all sections of a dump name their class, those of a
  /// file of overrides do not.
  void report_missing_target(const ConfigNode& tree) {
    const auto classed = std::count_if(
        tree.children.begin(), tree.children.end(), [this](const ConfigNode& section) {
          return vocabulary_->has_section(section.name) && !target_of(section).empty();
        });
    if (classed < kSectionsOfDump) {
      return;
    }
    recipe_.diagnostics.push_back(
        {"recipe/missing-target",
         tree.children.front().key,
         "a dump without a `_target_` of its own cannot be loaded",
         {},
         "begin the file with `_target_: megatron.bridge.training.config.ConfigContainer`"});
  }

  void report_types() {
    TypeFindings types = check_types(scalars_);
    recipe_.raw["raw.boolean_texts"] = text_list(types.boolean_texts);
    recipe_.raw["raw.object_texts"] = text_list(types.object_texts);
    append(std::move(types.diagnostics));
    std::erase_if(scalars_, [this](const TypedScalar& scalar) {
      return is_unjudged(std::string_view(scalar.path).substr(0, scalar.path.find('.'))) ||
             is_deep(scalar.path);
    });
    append(check_words(scalars_, vocabulary_->version()));
  }

  Recipe& recipe_;
  const Environment& environment_;
  const Vocabulary* vocabulary_;  // narrowed to the classes that the sections name
  std::vector<std::string> unjudged_;
  std::vector<TypedScalar> scalars_;
  std::vector<std::string> env_booleans_;
  std::vector<std::string> env_nonscalar_;
  std::vector<std::string> env_bad_names_;
  std::set<std::string> dropped_;  // paths that the loader drops
  std::vector<std::string> env_overridden_;
};

}  // namespace

void read_bridge(Recipe& recipe,
                 const Configuration& text,
                 const Environment& environment,
                 const Vocabulary& vocabulary) {
  BridgeYamlReader(recipe, environment, vocabulary).run(text);
}

namespace {

void merge(yaml::Node& into, yaml::Node from) {
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < into.entries.size(); ++i) {
    places[into.entries[i].key] = i;
  }
  for (yaml::Entry& entry : from.entries) {
    const auto [place, fresh] = places.try_emplace(entry.key, into.entries.size());
    if (fresh) {
      into.entries.push_back(std::move(entry));
      continue;
    }
    yaml::Entry& present = into.entries[place->second];
    if (present.value.is_mapping() && entry.value.is_mapping()) {
      merge(present.value, std::move(entry.value));
    } else {
      present = std::move(entry);
    }
  }
}

}  // namespace

void merge_documents(std::vector<yaml::Document>& documents) {
  for (std::size_t i = 1; i < documents.size(); ++i) {
    if (documents.front().root.is_mapping() && documents[i].root.is_mapping()) {
      merge(documents.front().root, std::move(documents[i].root));
    } else {
      documents.front().root = std::move(documents[i].root);
    }
  }
  documents.resize(std::min<std::size_t>(documents.size(), 1));
}

namespace {

using yaml::Node;

/// 2026-08-01, alone or followed by a time.
bool is_date(std::string_view text) {
  constexpr std::string_view kShape = "dddd-dd-dd";
  if (text.size() < kShape.size()) {
    return false;
  }
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kShape[i] == 'd' ? !digit : text[i] != kShape[i]) {
      return false;
    }
  }
  return text.size() == kShape.size() || text[kShape.size()] == 'T' || text[kShape.size()] == ' ';
}

bool is_plain_tag(std::string_view tag) {
  constexpr std::array<std::string_view, 8> kTags = {
      "!!str", "!!int", "!!float", "!!bool", "!!null", "!!seq", "!!map", "!"};
  return tag.empty() || std::find(kTags.begin(), kTags.end(), tag) != kTags.end();
}

class ValueCheck {
 public:
  ValueCheck(bool dump, std::vector<text::Diagnostic>& diagnostics)
      : dump_(dump),
        diagnostics_(diagnostics) {}

  void run(const Node& node) {
    if (!is_plain_tag(node.tag)) {
      complain(node, fmt::format("the loader has no constructor for the tag `{}`", node.tag));
    } else if (node.is_scalar()) {
      scalar(node);
    }
    for (const Node& item : node.items) {
      run(item);
    }
    for (const yaml::Entry& entry : node.entries) {
      run(entry.value);
    }
  }

 private:
  void scalar(const Node& node) {
    const bool plain = node.plain && node.tag.empty();
    if (plain && (node.scalar == "=" || node.scalar == "<<")) {
      complain(node, fmt::format("the loader rejects a plain `{}` as a value", node.scalar));
    } else if (plain && dump_ && is_date(node.scalar)) {
      complain(node,
               fmt::format("the loader reads `{}` as a date and then rejects it", node.scalar));
    } else if (dump_ && node.scalar == "???") {
      complain(node, "`???` marks a value that still has to be set", "give it a value");
    }
  }

  void complain(const Node& node,
                std::string message,
                std::string help = "quote it if it is a text") {
    diagnostics_.push_back(
        {"recipe/unsupported-value", node.mark, std::move(message), {}, std::move(help)});
  }

  bool dump_ = false;
  std::vector<text::Diagnostic>& diagnostics_;
};

}  // namespace

void check_supported(const Node& root, bool dump, std::vector<text::Diagnostic>& diagnostics) {
  ValueCheck(dump, diagnostics).run(root);
}

void refuse_duplicate(text::Diagnostic& diagnostic) {
  if (diagnostic.rule == "yaml/duplicate-key" || diagnostic.rule == "yaml/repeated-key") {
    diagnostic.rule = "yaml/refused-duplicate-key";
    diagnostic.help = "remove the wrong one";
  }
}

}  // namespace epwise::recipe
