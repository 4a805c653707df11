#include "recipe/trainers/trainer_facts.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "recipe/arguments/arguments.h"
#include "recipe/trainers/trainer_recipe.h"

namespace epwise::recipe {
namespace {

using expr::Value;

constexpr std::string_view kPaths = "raw.trainer_paths";
constexpr std::string_view kElsewhere = "raw.settings_elsewhere";
constexpr std::string_view kPreset = "raw.preset.";
constexpr std::string_view kUnread = "raw.unread.";
constexpr std::string_view kLongestSequence = "raw.longest_sequence";
constexpr std::string_view kRankBatch = "raw.step_rank_batch";
constexpr std::string_view kLongestMicroBatch = "raw.longest_micro_batch";

const Value* raw(const Recipe& recipe, std::string_view name) {
  const auto found = recipe.raw.find(name);
  return found == recipe.raw.end() || found->second.is_unset() ? nullptr : &found->second;
}

bool lists_text(const Value::List& list, std::string_view text) {
  return std::ranges::any_of(
      list, [text](const Value& item) { return item.text() != nullptr && *item.text() == text; });
}

/// The rest of the entry that starts with a name and a blank.
std::string path_behind(const Value::List& entries, std::string_view name) {
  for (const Value& entry : entries) {
    const std::string* text = entry.text();
    if (text != nullptr && text->starts_with(name) && text->substr(name.size()).starts_with(' ')) {
      return text->substr(name.size() + 1);
    }
  }
  return {};
}

}  // namespace

void note_trainer(Recipe& recipe, const Trainer& trainer, std::string_view role) {
  recipe.framework = trainer.framework;
  recipe.raw["raw.trainer"] = Value::of(trainer.name);
  recipe.raw["raw.trainer_title"] = Value::of(trainer.title);
  recipe.raw["raw.trainer_role"] = role.empty() ? Value::unset() : Value::of(std::string(role));
  recipe.raw["raw.trainer_stages"] = text_list(trainer.stages);
  recipe.raw[std::string(kPaths)] = Value::of(Value::List{});
  if (trainer.none_is_null) {
    recipe.raw["raw.trainer_null"] = Value::of("none");
  }
}

void note_model(Recipe& recipe, std::string_view name, std::string_view status) {
  recipe.raw["raw.model"] = Value::of(name);
  recipe.raw["raw.model_status"] = Value::of(status);
}

std::string model_name(const Recipe& recipe) {
  const Value* name = raw(recipe, "raw.model");
  const Value* status = raw(recipe, "raw.model_status");
  if (name == nullptr) {
    return {};
  }
  const bool assumed = status != nullptr && status->to_text() == "assumed";
  return name->to_text() + (assumed ? " (numbers assumed)" : "");
}

void note_longest_step(Recipe& recipe, const LongestStep& step) {
  recipe.raw[std::string(kLongestSequence)] = Value::of(step.sequence);
  recipe.raw[std::string(kLongestMicroBatch)] = Value::of(step.micro_batch);
}

void note_training_step(Recipe& recipe, const TrainingStep& step) {
  if (step.sequence > 0 && step.micro_batch > 0 && step.global_batch > 0) {
    recipe.raw["raw.step_sequence"] = Value::of(step.sequence);
    recipe.raw["raw.step_micro_batch"] = Value::of(step.micro_batch);
    const std::string_view batch = step.of_rank ? kRankBatch : "raw.step_global_batch";
    recipe.raw[std::string(batch)] = Value::of(step.global_batch);
  }
}

bool batch_follows_ranks(const Recipe& recipe) {
  return raw(recipe, kRankBatch) != nullptr;
}

std::optional<LongestStep> longest_step(const Recipe& recipe) {
  const Value* sequence = raw(recipe, kLongestSequence);
  const Value* micro_batch = raw(recipe, kLongestMicroBatch);
  if (sequence == nullptr || micro_batch == nullptr || sequence->integer() == nullptr ||
      micro_batch->integer() == nullptr) {
    return std::nullopt;
  }
  constexpr std::int64_t kMost = 1 << 26;
  const LongestStep step{*sequence->integer(), *micro_batch->integer()};
  const bool sane = step.sequence > 0 && step.sequence <= kMost && step.micro_batch > 0 &&
                    step.micro_batch <= kMost;
  return sane ? std::optional(step) : std::nullopt;
}

void note_path(Recipe& recipe, std::string_view canonical, std::string_view path) {
  const Value* paths = raw(recipe, kPaths);
  Value::List entries =
      paths == nullptr || paths->list() == nullptr ? Value::List{} : *paths->list();
  entries.push_back(Value::of(fmt::format("{} {}", canonical, path)));
  recipe.raw[std::string(kPaths)] = Value::of(std::move(entries));
}

bool has_trainer(const Recipe& recipe) {
  return raw(recipe, "raw.trainer") != nullptr;
}

bool runs_stage(const Recipe& recipe, std::string_view stage) {
  const Value* stages = raw(recipe, "raw.trainer_stages");
  return stages == nullptr || stages->list() == nullptr || lists_text(*stages->list(), stage);
}

bool takes_steps(const Recipe& recipe) {
  const Value* role = raw(recipe, "raw.trainer_role");
  const std::string* name = role == nullptr ? nullptr : role->text();
  return name == nullptr || (*name != "ref" && *name != "reference");
}

std::string trainer_name(const Recipe& recipe) {
  const Value* title = raw(recipe, "raw.trainer_title");
  const Value* role = raw(recipe, "raw.trainer_role");
  if (title == nullptr) {
    return {};
  }
  return role == nullptr ? title->to_text()
                         : fmt::format("{} ({})", title->to_text(), role->to_text());
}

void note_preset(Recipe& recipe, std::string_view canonical, const Value& value) {
  recipe.raw[fmt::format("{}{}", kPreset, canonical)] = value;
}

const Value* preset(const Recipe& recipe, std::string_view canonical) {
  const auto noted = recipe.raw.find(fmt::format("{}{}", kPreset, canonical));
  if (noted != recipe.raw.end()) {
    return &noted->second;
  }
  const Field* field = has_trainer(recipe) ? recipe.find(canonical) : nullptr;
  return field != nullptr && field->key.nowhere() ? &field->value : nullptr;
}

std::string null_word(const Recipe& recipe) {
  const Value* word = raw(recipe, "raw.trainer_null");
  return word == nullptr ? "null" : word->to_text();
}

namespace {

/// Null is a value that was given.
void add_settings(const ConfigNode& node,
                  const std::string& path,
                  std::map<std::string, Field, std::less<>>& settings) {
  constexpr std::size_t kMost = 4096;
  if (node.is_mapping()) {
    for (const ConfigNode& child : node.children) {
      add_settings(child, path + (path.ends_with('.') ? "" : ".") + child.name, settings);
    }
    return;
  }
  if (settings.size() == kMost) {
    return;
  }
  Field field;
  field.name = path;
  field.value = content_of(node);
  field.key = node.key;
  field.mark = node.mark;
  field.origin = node.origin;
  field.spelling = node.spelling.empty() ? path.substr(kTrainerGroup.size()) : node.spelling;
  settings.insert_or_assign(path, std::move(field));
}

}  // namespace

void note_settings(Recipe& recipe, const ConfigNode& root, std::string_view elsewhere) {
  std::map<std::string, Field, std::less<>> settings;
  add_settings(root, std::string(kTrainerGroup), settings);
  recipe.settings =
      std::make_shared<const std::map<std::string, Field, std::less<>>>(std::move(settings));
  recipe.raw[std::string(kElsewhere)] =
      elsewhere.empty() ? Value::unset() : Value::of(std::string(elsewhere));
}

Value trainer_setting(const Recipe& recipe, std::string_view name) {
  if (const Field* field = recipe.find(name)) {
    return field->value;
  }
  const Value* elsewhere = raw(recipe, kElsewhere);
  return elsewhere == nullptr ? Value::unset() : Value::unknown({elsewhere->to_text()});
}

void forget_setting(Recipe& recipe, std::string_view canonical) {
  if (const auto field = recipe.fields.find(canonical); field != recipe.fields.end()) {
    recipe.fields.erase(field);
  }
  const Value* paths = raw(recipe, kPaths);
  if (paths == nullptr || paths->list() == nullptr) {
    return;
  }
  Value::List kept = *paths->list();
  const std::string head = std::string(canonical) + ' ';
  std::erase_if(kept, [&](const Value& each) { return each.to_text().starts_with(head); });
  recipe.raw[std::string(kPaths)] = Value::of(std::move(kept));
}

void note_unread(Recipe& recipe, std::string_view canonical) {
  recipe.raw[fmt::format("{}{}", kUnread, canonical)] = Value::of(true);
}

bool is_unread(const Recipe& recipe, std::string_view canonical) {
  return raw(recipe, fmt::format("{}{}", kUnread, canonical)) != nullptr;
}

std::string trainer_path(const Recipe& recipe, std::string_view canonical) {
  if (canonical.starts_with(kTrainerGroup)) {
    return std::string(canonical.substr(kTrainerGroup.size()));
  }
  const Value* paths = raw(recipe, kPaths);
  const std::size_t dot = canonical.find('.');
  if (paths == nullptr || paths->list() == nullptr || dot == std::string_view::npos) {
    return {};
  }
  std::string path = path_behind(*paths->list(), canonical);
  if (path.empty()) {
    path = path_behind(*paths->list(), fmt::format("{}.*", canonical.substr(0, dot)));
    path = path.empty() ? path : path + std::string(canonical.substr(dot));
  }
  return path;
}

}  // namespace epwise::recipe
