#include "recipe/trainers/trainer_recipe.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "base/text/spelling.h"
#include "recipe/bridge/config_tree.h"
#include "recipe/overrides/interpolation.h"
#include "recipe/overrides/scalar_types.h"
#include "recipe/trainers/trainer_facts.h"

namespace epwise::recipe {
namespace {

using expr::Value;

constexpr std::string_view kAny = ".*";

bool is_pattern(const Trainer::Setting& setting) {
  return setting.key.ends_with(kAny);
}

/// "override_ddp_config.*" → "override_ddp_config"
std::string stem(const std::string& pattern) {
  return pattern.substr(0, pattern.size() - kAny.size());
}

std::string key_below(const std::string& path, const std::string& key) {
  if (key.starts_with('/')) {
    return key.substr(1);
  }
  constexpr std::string_view kBeside = "../";
  if (key.starts_with(kBeside)) {
    const std::size_t dot = path.rfind('.');
    const std::string above = dot == std::string::npos ? std::string() : path.substr(0, dot);
    return key_below(above, key.substr(kBeside.size()));
  }
  return path.empty() ? key : path + "." + key;
}

/// The name that differs from this one in a letter or two; empty if there is none or if it is known.
std::string_view meant_by(std::string_view name, const std::vector<std::string_view>& known) {
  constexpr std::size_t kShortest = 8;
  if (name.size() < kShortest || std::ranges::find(known, name) != known.end()) {
    return {};
  }
  const std::vector<std::string> nearest = text::nearest(name, known, 1);
  if (nearest.empty() || text::edit_distance(name, nearest.front()) > 2) {
    return {};
  }
  const auto found = std::ranges::find(known, nearest.front());
  return found == known.end() ? std::string_view() : *found;
}

/// Whether Python's float() takes the text.
bool is_python_real(std::string_view text) {
  const std::string word = text::lower(text);
  const std::string_view digits = std::string_view(word).substr(word.starts_with('+') ? 1 : 0);
  constexpr std::array<std::string_view, 4> kWords = {"inf", "nan", "infinity", "-inf"};
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return std::ranges::find(kWords, digits) != kWords.end() ||
         (error == std::errc() && end == digits.data() + digits.size());
}

/// Whether transformers' parser takes the value for an option of this kind; true where it is unknown.
bool parses_as(const Value& value, std::string_view kind) {
  if (value.is_unknown() || value.is_unset()) {
    return true;
  }
  const std::string* text = value.text();
  if (kind == "bool") {
    constexpr std::array<std::string_view, 10> kWords = {
        "yes", "true", "t", "y", "1", "no", "false", "f", "n", "0"};
    const std::string word = text::lower(text != nullptr ? *text : value.to_text());
    return std::ranges::find(kWords, word) != kWords.end();
  }
  if (kind == "int") {
    return value.integer() != nullptr;
  }
  if (kind == "number") {
    return text != nullptr ? is_python_real(*text) : value.boolean() == nullptr;
  }
  return true;
}

class TrainerRecipeReader {
 public:
  TrainerRecipeReader(Recipe& recipe,
                      const ConfigNode& root,
                      const TrainerRole& role,
                      const Trainer& trainer,
                      const ModelConfig* model,
                      const Vocabulary& vocabulary)
      : recipe_(recipe),
        root_(root),
        role_(role),
        trainer_(trainer),
        vocabulary_(vocabulary) {
    if (model != nullptr) {
      of_model_ = megatron_fields(*model);
      recipe.raw.merge(vision_facts(*model));
      known_kind_ = trainer.keeps_defaults && is_known_kind(*model);
      rest_ = fmt::format("{}'s own defaults", trainer.title);
    }
  }

  void run() {
    for (const Trainer::Setting& setting : trainer_.settings) {
      if (is_pattern(setting)) {
        read_mapping(setting);
      } else {
        read(setting);
      }
    }
    if (trainer_.stops_at_unknown) {
      read_unknown();
    }
    if (!trainer_.options.empty()) {
      report_options();
    }
    if (!trainer_.also_reads.empty()) {
      report_unread();
    }
    report_misspelt();
    for (const auto& [name, value] : trainer_.fixed) {
      recipe_.fields.erase(name);
      put_default(name, value);
    }
    if (known_kind_) {
      of_model_.insert(trainer_.of_model.begin(), trainer_.of_model.end());
    }
    for (const auto& [name, value] : of_model_) {
      if (vocabulary_.find(name) != nullptr && recipe_.find(name) == nullptr) {
        put_default(name, value);
      }
    }
    if (trainer_.drops_lone_sequence_parallel) {
      drop_lone_sequence_parallel();
    }
    open_rest();
    for (const auto& [name, text] : trainer_.environment) {
      recipe_.variables.try_emplace(name, Variable{Value::of(text), {}, {}});
    }
  }

 private:
  const ConfigNode* find(const std::string& key) const {
    const ConfigNode* node = node_at(root_, key_below(role_.path, key));
    if (node == nullptr && !role_.inherits.empty()) {
      node = node_at(root_, key_below(role_.inherits, key));
    }
    return node != nullptr && node->is_null() && trainer_.ignores_null ? nullptr : node;
  }

  /// Reads a fact about the recipe that is not a field of the framework.
  void read_fact(const Trainer::Setting& setting) {
    const ConfigNode* node = find(setting.key);
    if (node != nullptr) {
      recipe_.raw[setting.field] = content_of(*node);
    } else if (setting.otherwise) {
      recipe_.raw[setting.field] = *setting.otherwise;
    }
  }

  void read(const Trainer::Setting& setting) {
    if (setting.field.starts_with("raw.")) {
      read_fact(setting);
      return;
    }
    const std::string path = key_below(role_.path, setting.key);
    paths_.emplace(setting.field, path);
    note_path(recipe_, setting.field, path);
    const ConfigNode* node = find(setting.key);
    if (node != nullptr) {
      put(setting.field, *node, path);
      if (setting.otherwise) {
        note_preset(recipe_, setting.field, *setting.otherwise);
      }
    } else if (setting.otherwise && recipe_.find(setting.field) == nullptr) {
      put_default(setting.field, *setting.otherwise);
    }
  }

  /// Fields of Megatron-Core that the trainer has no option for. Other releases of it have them, or
  /// the user believes so: their values count.
  void read_unknown() {
    const ConfigNode* root = node_at(root_, role_.path);
    if (root == nullptr) {
      return;
    }
    for (const ConfigNode& child : root->children) {
      const FieldSpec* spec = vocabulary_.find("model." + child.name);
      const bool listed = std::ranges::any_of(
          trainer_.settings, [&child](const auto& setting) { return setting.key == child.name; });
      if (spec == nullptr || listed) {
        continue;
      }
      put(std::string(spec->name), child, child.name);
      recipe_.diagnostics.push_back(
          {"recipe/unknown-key",
           child.key,
           fmt::format("`{}` is a field of Megatron-Core, but no option of {} {}, which stops at "
                       "options that it does not know",
                       child.spelling.empty() ? child.name : child.spelling,
                       trainer_.title,
                       trainer_.version)});
    }
  }

  /// Options that the trainer's parser lacks, and values that it does not take.
  void report_options() {
    const ConfigNode* root = node_at(root_, role_.path);
    if (root == nullptr || !root->is_mapping()) {
      return;
    }
    const ConfigNode* waiver = root->find(trainer_.waives_unknown);
    const bool lenient =
        waiver != nullptr && (waiver->value.is_unknown() || waiver->value.truthy());
    for (const ConfigNode& child : root->children) {
      const auto option = trainer_.options.find(child.name);
      if (option != trainer_.options.end()) {
        report_value(child, option->second, lenient);
      } else if (!lenient && child.spelling.starts_with('-') && is_unheard_of(child.name)) {
        refuse("recipe/refused-setting",
               child.key,
               fmt::format("{} has no option `{}` and stops{}",
                           trainer_.title,
                           child.spelling,
                           meant_option(child.name)));
      }
    }
  }

  /// Neither an option nor, as argparse allows, the beginning of one; no field of Megatron-Core and no
  /// slip of the pen, which are reported elsewhere.
  bool is_unheard_of(const std::string& name) const {
    const auto next = trainer_.options.lower_bound(name);
    const bool begins = next != trainer_.options.end() && next->first.starts_with(name);
    const bool negates =
        name.starts_with("no_") && trainer_.options.contains(std::string_view(name).substr(3));
    std::vector<std::string_view> known;
    for (const Trainer::Setting& setting : trainer_.settings) {
      known.emplace_back(setting.key);
    }
    return !begins && !negates && vocabulary_.find("model." + name) == nullptr &&
           meant_by(name, known).empty();
  }

  std::string meant_option(const std::string& name) const {
    std::vector<std::string_view> known;
    for (const auto& [option, kind] : trainer_.options) {
      known.emplace_back(option);
    }
    const std::string_view meant = meant_by(name, known);
    return meant.empty() ? std::string() : fmt::format(", did you mean `--{}`?", meant);
  }

  void report_value(const ConfigNode& child, const std::string& kind, bool lenient) {
    const std::string& name = child.spelling.starts_with('-') ? child.spelling : child.name;
    if (child.is_list()) {
      const bool several = kind == "list" || kind == "any";
      if (!several && !lenient && child.children.size() > 1 && child.spelling.starts_with('-')) {
        const ConfigNode& left = child.children[1];
        if (const auto* unknown = left.value.unknown()) {  // it may be no word, or an option
          recipe_.note_unread_words(unknown->needs);
          return;
        }
        refuse("recipe/refused-value",
               left.mark,
               fmt::format("{} takes one value for `{}` and stops at `{}`",
                           trainer_.title,
                           name,
                           left.value.to_text()));
      }
      return;
    }
    if (!parses_as(child.value, kind)) {
      refuse("recipe/refused-value",
             child.mark,
             fmt::format("{} does not take `{}` for `{}`, which is {}",
                         trainer_.title,
                         child.value.to_text(),
                         name,
                         kind == "bool"  ? "true or false"
                         : kind == "int" ? "an integer"
                                         : "a number"));
    }
  }

  void refuse(std::string_view rule, const text::Mark& mark, std::string message) {
    recipe_.diagnostics.push_back({std::string(rule), mark, std::move(message)});
  }

  /// Fields of Megatron-Core where the trainer does not look for them.
  void report_unread() {
    const ConfigNode* root = node_at(root_, role_.path);
    if (root == nullptr || !root->is_mapping()) {
      return;
    }
    const auto reads = [this](std::string_view key) {
      return std::ranges::find(trainer_.also_reads, key) != trainer_.also_reads.end() ||
             std::ranges::any_of(trainer_.settings, [key](const Trainer::Setting& setting) {
               return std::string_view(setting.key).substr(0, setting.key.find('.')) == key;
             });
    };
    for (const ConfigNode& child : root->children) {
      if (reads(child.name) || vocabulary_.find("model." + child.name) == nullptr) {
        continue;
      }
      recipe_.diagnostics.push_back(
          {"recipe/unknown-key",
           child.key,
           fmt::format("{} ({}) does not read `{}` here, so it has no effect",
                       trainer_.title,
                       trainer_.version,
                       child.name),
           {},
           fmt::format("put it under `{}`", key_below(role_.path, trainer_.passes_on))});
    }
  }

  /// Keys that differ in a letter or two from a setting, which have no effect or stop the trainer.
  void report_misspelt() {
    std::vector<std::string_view> known;
    for (const Trainer::Setting& setting : trainer_.settings) {
      if (!setting.key.starts_with('/')) {
        known.push_back(std::string_view(setting.key).substr(0, setting.key.find('.')));
      }
    }
    report_misspelt(role_.path, known);
    for (const Trainer::Setting& setting : trainer_.settings) {
      if (is_pattern(setting)) {
        report_misspelt(key_below(role_.path, stem(setting.key)), fields_of(stem(setting.field)));
      }
    }
  }

  std::vector<std::string_view> fields_of(const std::string& section) const {
    std::vector<std::string_view> fields;
    for (const FieldSpec& spec : vocabulary_.fields()) {
      if (spec.name.starts_with(section + ".")) {
        fields.push_back(std::string_view(spec.name).substr(section.size() + 1));
      }
    }
    return fields;
  }

  void report_misspelt(const std::string& path, const std::vector<std::string_view>& known) {
    const ConfigNode* node = node_at(root_, path);
    if (node == nullptr || !node->is_mapping()) {
      return;
    }
    for (const ConfigNode& child : node->children) {
      const std::string_view meant = meant_by(child.name, known);
      if (meant.empty() || trainer_.options.contains(child.name) ||
          vocabulary_.find("model." + child.name) != nullptr) {
        continue;
      }
      recipe_.diagnostics.push_back(
          {trainer_.refuses_misspelt ? "recipe/refused-setting" : "recipe/unknown-key",
           child.key,
           fmt::format("{} has no setting `{}`, did you mean `{}`?",
                       trainer_.title,
                       child.spelling.starts_with('-') ? child.spelling : child.name,
                       meant)});
    }
  }

  void read_mapping(const Trainer::Setting& setting) {
    const std::string key = stem(setting.key);
    const std::string section = stem(setting.field);
    paths_.emplace(setting.field, key_below(role_.path, key));
    note_path(recipe_, setting.field, key_below(role_.path, key));
    const ConfigNode* node = find(key);
    if (node == nullptr || !node->is_mapping()) {
      return;
    }
    for (const ConfigNode& child : node->children) {
      const std::string name = section + "." + child.name;
      const FieldSpec* spec = vocabulary_.find(name);
      if (spec != nullptr) {
        put(std::string(spec->name), child, key_below(role_.path, key) + "." + child.name);
      } else if (meant_by(child.name, fields_of(section)).empty()) {
        report_unheard_of(child, section);
      }
    }
  }

  /// A key of a mapping whose keys are fields of Megatron-Core, which no known release has.
  void report_unheard_of(const ConfigNode& key, const std::string& section) {
    if (!vocabulary_.history(section + "." + key.name).empty()) {
      return;
    }
    recipe_.diagnostics.push_back(
        {"recipe/unknown-key",
         key.key,
         fmt::format("no release of Megatron-Core has `{}`: {} stops at it, or it has no effect",
                     key.name,
                     trainer_.title)});
  }

  void put(const std::string& name, const ConfigNode& node, const std::string& path) {
    Field field;
    field.name = name;
    field.value = content_of(node);
    if (trainer_.none_is_null && field.value.text() != nullptr && *field.value.text() == "none") {
      field.value = Value::unset();
    }
    const FieldSpec* spec = vocabulary_.find(name);
    const bool listed = spec != nullptr && spec->type.kind == expr::Kind::list;
    if (trainer_.words_are_lists && listed && field.value.text() != nullptr) {
      field.value = Value::of(Value::List{field.value});
    }
    field.key = node.key;
    field.mark = node.mark;
    field.origin = node.origin;
    field.spelling = node.spelling.starts_with('-') ? node.spelling : path;
    if (spec != nullptr && recipe_.framework == Framework::bridge) {
      if (auto slip = check_word(field.value, *spec, field.spelling, field.mark, "Megatron-Core")) {
        recipe_.diagnostics.push_back(std::move(*slip));
      }
    }
    recipe_.fields.insert_or_assign(name, std::move(field));
  }

  void put_default(const std::string& name, Value value) {
    Field field;
    field.name = name;
    field.value = std::move(value);
    field.origin = Origin::framework_default;
    field.spelling = path_of(name);
    recipe_.fields.emplace(name, std::move(field));
  }

  /// Sequence parallelism with one tensor-parallel rank is switched off before Megatron sees it.
  void drop_lone_sequence_parallel() {
    const auto parallel = recipe_.fields.find("model.sequence_parallel");
    const Field* ranks = recipe_.find("model.tensor_model_parallel_size");
    if (parallel == recipe_.fields.end() || ranks == nullptr ||
        (parallel->second.value.is_known() && !parallel->second.value.truthy())) {
      return;
    }
    const std::int64_t* count = ranks->value.integer();
    if (count == nullptr) {
      parallel->second.value = ranks->value.is_unknown() ? ranks->value : Value::of(false);
    } else if (*count < 2) {
      parallel->second.value = Value::of(false);
      parallel->second.origin = Origin::framework_default;
    }
  }

  /// Recipe::path_of, for a thousand fields.
  std::string path_of(std::string_view name) const {
    const auto exact = paths_.find(name);
    if (exact != paths_.end()) {
      return exact->second;
    }
    const std::size_t dot = name.find('.');
    const auto mapping = paths_.find(std::string(name.substr(0, dot)) + std::string(kAny));
    return mapping == paths_.end() ? std::string(name)
                                   : mapping->second + std::string(name.substr(dot));
  }

  bool is_untouched(std::string_view name) const {
    const auto lists = [name](const std::vector<std::string>& fields) {
      return std::ranges::any_of(fields, [name](const std::string& field) {
        return field == name || (field.ends_with(kAny) && name.starts_with(stem(field) + "."));
      });
    };
    return (lists(trainer_.untouched) && !lists(trainer_.decides)) ||
           (known_kind_ && name.starts_with("model.") &&
            (!lists(trainer_.converted) || lists(trainer_.keeps)));
  }

  /// A section that exists only if it is written.
  bool is_optional(std::string_view section) const {
    const FieldSpec* spec = vocabulary_.find(section);
    return spec != nullptr && spec->has_default && spec->default_value.is_unset();
  }

  void open_rest() {
    for (const FieldSpec& spec : vocabulary_.fields()) {
      const std::size_t dot = spec.name.find('.');
      const bool open = dot != std::string_view::npos && !is_untouched(spec.name) &&
                        !is_optional(spec.name.substr(0, dot));
      if (open && recipe_.find(spec.name) == nullptr) {
        Field field;
        field.name = spec.name;
        field.value = Value::unknown({rest_.empty() ? trainer_.rest : rest_});
        field.spelling = path_of(spec.name);
        recipe_.fields.emplace(field.name, std::move(field));
      }
    }
  }

  Recipe& recipe_;
  const ConfigNode& root_;
  const TrainerRole& role_;
  const Trainer& trainer_;
  const Vocabulary& vocabulary_;
  std::map<std::string, std::string, std::less<>> paths_;  // by canonical name
  std::map<std::string, Value> of_model_;                  // fields that config.json sets
  bool known_kind_ = false;  // what config.json does not set keeps its default
  std::string rest_;         // in place of Trainer::rest; may be empty
};

}  // namespace

expr::Value content_of(const ConfigNode& node) {
  const auto unknown = std::ranges::find_if(
      node.children, [](const ConfigNode& child) { return child.value.is_unknown(); });
  return unknown != node.children.end() ? unknown->value : node_value(node);
}

const ConfigNode* node_at(const ConfigNode& root, std::string_view path) {
  const ConfigNode* node = &root;
  while (node != nullptr && !path.empty()) {
    const std::size_t dot = path.find('.');
    node = node->find(path.substr(0, dot));
    path.remove_prefix(dot == std::string_view::npos ? path.size() : dot + 1);
  }
  return node;
}

std::optional<std::int64_t> number_at(const ConfigNode& root, std::string_view path) {
  const ConfigNode* node = node_at(root, path);
  const std::int64_t* number = node == nullptr ? nullptr : node->value.integer();
  return number == nullptr ? std::nullopt : std::optional<std::int64_t>(*number);
}

int count_settings(const ConfigNode& root, const TrainerRole& role, const Trainer& trainer) {
  return static_cast<int>(std::ranges::count_if(trainer.settings, [&](const auto& setting) {
    const std::string key = is_pattern(setting) ? stem(setting.key) : setting.key;
    return !key.starts_with('/') && node_at(root, key_below(role.path, key)) != nullptr;
  }));
}

void read_trainer(Recipe& recipe,
                  const ConfigNode& root,
                  const TrainerRole& role,
                  const Trainer& trainer,
                  const ModelConfig* model,
                  const Vocabulary& vocabulary) {
  note_trainer(recipe, trainer, role.name);
  recipe.raw["raw.partial"] = Value::of(true);
  if (model != nullptr) {
    note_model(recipe, model->name, model->status);
  }
  TrainerRecipeReader(recipe, root, role, trainer, model, vocabulary).run();
}

void set_default(Recipe& recipe, const std::string& name, Value value) {
  Field field;
  field.name = name;
  field.value = std::move(value);
  field.origin = Origin::framework_default;
  field.spelling = recipe.path_of(name);
  recipe.fields.insert_or_assign(name, std::move(field));
}

void set_world(Recipe& recipe, const Ranks& ranks) {
  set_ranks(recipe, ranks, trainer_name(recipe));
}

namespace {

void open_references(ConfigNode& node) {
  for (ConfigNode& child : node.children) {
    open_references(child);
  }
  const std::string* text = node.value.text();
  if (text != nullptr && (text->find("${") != std::string::npos || *text == "???")) {
    node.value = Value::unknown({*text});
  }
}

}  // namespace

void resolve_references(ConfigNode& root, const Environment& environment) {
  ConfigSchema schema;
  schema.knows = [](std::string_view) { return true; };
  std::vector<text::Diagnostic> unread;  // trainers have their own resolvers
  interpolate(root, environment, schema, unread);
  open_references(root);
}

}  // namespace epwise::recipe
