#include "recipe/trainers/trainer.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "base/embedded/embedded.h"
#include "recipe/bridge/config_tree.h"
#include "yaml/parse.h"

namespace epwise::recipe {
namespace {

using expr::Value;

std::string text_at(const ConfigNode& node, std::string_view key) {
  const ConfigNode* found = node.find(key);
  return found == nullptr || found->value.text() == nullptr ? std::string() : *found->value.text();
}

std::vector<std::string> texts_at(const ConfigNode& node, std::string_view key) {
  std::vector<std::string> texts;
  if (const ConfigNode* list = node.find(key)) {
    for (const ConfigNode& item : list->children) {
      texts.push_back(item.value.to_text());
    }
  }
  return texts;
}

bool is_node_on(const ConfigNode& node, std::string_view key) {
  const ConfigNode* found = node.find(key);
  return found != nullptr && found->value.truthy();
}

Value value_of_node(const ConfigNode& node) {
  if (!node.is_list()) {
    return node.value;
  }
  Value::List items;
  for (const ConfigNode& item : node.children) {
    items.push_back(value_of_node(item));
  }
  return Value::of(std::move(items));
}

std::map<std::string, Value> values_at(const ConfigNode& node, std::string_view key) {
  std::map<std::string, Value> values;
  if (const ConfigNode* mapping = node.find(key)) {
    for (const ConfigNode& each : mapping->children) {
      values.emplace(each.name, value_of_node(each));
    }
  }
  return values;
}

/// `key: field`, or `key: {sets: field, otherwise: value}`.
Trainer::Setting setting_of(const ConfigNode& node) {
  Trainer::Setting setting;
  setting.key = node.name;
  if (!node.is_mapping()) {
    setting.field = node.value.to_text();
    return setting;
  }
  setting.field = text_at(node, "sets");
  if (const ConfigNode* otherwise = node.find("otherwise")) {
    setting.otherwise = value_of_node(*otherwise);
  }
  return setting;
}

Trainer trainer_of(const ConfigNode& root) {
  Trainer trainer;
  trainer.name = text_at(root, "trainer");
  trainer.title = text_at(root, "title");
  trainer.source = text_at(root, "source");
  trainer.version = text_at(root, "version");
  trainer.rest = text_at(root, "rest");
  trainer.framework = parse_framework(text_at(root, "framework")).value_or(Framework::bridge);
  trainer.stages = texts_at(root, "stages");
  trainer.untouched = texts_at(root, "untouched");
  trainer.decides = texts_at(root, "decides");
  trainer.converted = texts_at(root, "converted");
  trainer.keeps = texts_at(root, "keeps");
  trainer.also_reads = texts_at(root, "also_reads");
  trainer.passes_on = text_at(root, "passes_on");
  trainer.stops_at_unknown = is_node_on(root, "stops_at_unknown");
  if (const ConfigNode* kinds = root.find("options")) {
    for (const ConfigNode& kind : kinds->children) {
      for (std::string& option : texts_at(*kinds, kind.name)) {
        trainer.options.emplace(std::move(option), kind.name);
      }
    }
  }
  trainer.waives_unknown = text_at(root, "waives_unknown");
  trainer.refuses_misspelt = is_node_on(root, "refuses_misspelt");
  trainer.drops_lone_sequence_parallel = is_node_on(root, "drops_lone_sequence_parallel");
  trainer.ignores_null = is_node_on(root, "ignores_null");
  trainer.words_are_lists = is_node_on(root, "words_are_lists");
  trainer.none_is_null = is_node_on(root, "none_is_null");
  if (const ConfigNode* variables = root.find("environment")) {
    for (const ConfigNode& each : variables->children) {
      trainer.environment.emplace(each.name, each.value.to_text());
    }
  }
  if (const ConfigNode* settings = root.find("settings")) {
    std::ranges::transform(settings->children, std::back_inserter(trainer.settings), setting_of);
  }
  trainer.fixed = values_at(root, "fixed");
  trainer.of_model = values_at(root, "of_model");
  return trainer;
}

ConfigNode tree_of(std::string_view name, std::string_view bytes) {
  const text::SourceFile file(std::string(name) + ".yaml", std::string(bytes));
  const yaml::Stream stream = yaml::parse(file);
  if (!stream.diagnostics.empty() || stream.documents.size() != 1) {
    throw std::logic_error("the table of trainer " + std::string(name) + " does not read");
  }
  return config_tree(stream.documents.front().root, yaml::Dialect::omegaconf);
}

Trainer read_table(std::string_view name) {
  for (const embedded::EmbeddedFile& table : embedded::trainer_tables()) {
    if (table.path == name) {
      return trainer_of(tree_of(name, table.bytes));
    }
  }
  throw std::logic_error("no table for trainer " + std::string(name));
}

}  // namespace

Trainer load_trainer(std::string_view name) {
  Trainer trainer = read_table(name);
  const Trainer core = read_table("core");
  trainer.untouched.insert(trainer.untouched.end(), core.untouched.begin(), core.untouched.end());
  trainer.converted = core.converted;
  return trainer;
}

const VerlKeys& VerlKeys::embedded() {
  static const VerlKeys keys;
  return keys;
}

VerlKeys::VerlKeys() {
  const ConfigNode root = tree_of("verl_keys", epwise::embedded::verl_keys());
  const ConfigNode* ranges = root.find("key_paths");
  if (ranges == nullptr) {
    throw std::logic_error("verl_keys.yaml has no key_paths");
  }
  for (const ConfigNode& range : ranges->children) {
    for (const ConfigNode& parent : range.children) {
      const std::string name = parent.name == "/" ? "" : parent.name;
      for (const ConfigNode& key : parent.children) {
        paths_.insert((name.empty() ? "" : name + ".") + key.value.to_text());
      }
      for (std::string each = name; parents_.insert(each).second && !each.empty();) {
        each = std::string(parent_of(each));
      }
    }
  }
}

bool VerlKeys::may_know(std::string_view path) const {
  if (parents_.contains(path) || !parents_.contains(parent_of(path))) {
    return true;
  }
  return paths_.contains(path);
}

std::vector<std::string_view> VerlKeys::siblings(std::string_view path) const {
  std::vector<std::string_view> found;
  std::ranges::copy_if(paths_, std::back_inserter(found), [&](const std::string& each) {
    return parent_of(each) == parent_of(path);
  });
  return found;
}

namespace {

SlimeFlags read_slime_flags() {
  const ConfigNode root = tree_of("slime_flags", embedded::slime_flags());
  SlimeFlags all;
  for (const std::string& flag : texts_at(root, "slime")) {
    all.flags.push_back("--" + flag);
  }
  for (const std::string& flag : texts_at(root, "miles")) {
    all.of_miles.push_back("--" + flag);
  }
  all.flags.insert(all.flags.end(), all.of_miles.begin(), all.of_miles.end());
  for (const std::string& prefix : texts_at(root, "prefixes")) {
    all.prefixes.push_back("--" + prefix);
  }
  return all;
}

}  // namespace

const SlimeFlags& slime_flags() {
  static const SlimeFlags flags = read_slime_flags();
  return flags;
}

}  // namespace epwise::recipe
