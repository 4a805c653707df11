#include <algorithm>
#include <charconv>

#include "recipe/trainers/trainer_format.h"

namespace epwise::recipe {
namespace {

constexpr std::string_view kStrategy = "megatron_train";

bool is_trained(const yaml::Node& role) {
  const yaml::Node* strategy = mapping_at(role, "strategy_args");
  const yaml::Node* name = strategy == nullptr ? nullptr : strategy->find("strategy_name");
  return name != nullptr && name->is_scalar() && name->scalar == kStrategy;
}

bool fits(const yaml::Node& root) {
  return std::ranges::any_of(root.entries,
                             [](const yaml::Entry& entry) { return is_trained(entry.value); });
}

std::vector<TrainerRole> roles(const ConfigNode& root) {
  std::vector<TrainerRole> all;
  for (const ConfigNode& child : root.children) {
    const ConfigNode* name = node_at(child, "strategy_args.strategy_name");
    if (name != nullptr && name->value.to_text() == kStrategy) {
      all.push_back({child.name, child.name + ".strategy_args.strategy_config", ""});
    }
  }
  return all;
}

std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take(std::string_view prefix, std::string_view& text) {
  const bool there = text.starts_with(prefix);
  text.remove_prefix(there ? prefix.size() : 0);
  return there;
}

/// "range(0,8)" → 8; with a step too.
std::optional<std::int64_t> range_length(std::string_view text) {
  std::vector<std::int64_t> numbers;
  do {
    const auto number = take_number(text);
    if (!number || numbers.size() == 3) {
      return std::nullopt;
    }
    numbers.push_back(*number);
  } while (take(",", text));
  if (!take(")", text) || !text.empty()) {
    return std::nullopt;
  }
  const std::int64_t first = numbers.size() > 1 ? numbers[0] : 0;
  const std::int64_t last = numbers.size() > 1 ? numbers[1] : numbers[0];
  const std::int64_t step = numbers.size() > 2 ? numbers[2] : 1;
  constexpr std::int64_t kMost = 1 << 24;
  if (step < 1 || first < 0 || last < first || last > kMost) {
    return std::nullopt;
  }
  return (last - first + step - 1) / step;
}

std::optional<std::int64_t> list_length(std::string_view text) {
  std::int64_t count = 0;
  do {
    if (!take_number(text)) {
      return std::nullopt;
    }
    ++count;
  } while (take(",", text));
  return take("]", text) && text.empty() ? std::optional<std::int64_t>(count) : std::nullopt;
}

/// How many devices a mapping names: "list(range(0, 8))", "[0, 1]", a YAML list.
std::optional<std::int64_t> device_count(const ConfigNode& node) {
  if (node.is_list()) {
    return static_cast<std::int64_t>(node.children.size());
  }
  const std::string* written = node.value.text();
  if (written == nullptr) {
    return std::nullopt;
  }
  std::string dense = *written;
  std::erase_if(dense, [](char c) { return c == ' ' || c == '\t' || c == '\n'; });
  std::string_view text = dense;
  if (take("list(", text)) {
    if (!text.ends_with(')')) {
      return std::nullopt;
    }
    text.remove_suffix(1);
  }
  if (take("range(", text)) {
    return range_length(text);
  }
  return take("[", text) ? list_length(text) : std::nullopt;
}

const expr::Value* value_of(const Recipe& recipe, std::string_view name) {
  const Field* field = recipe.find(name);
  return field == nullptr ? nullptr : &field->value;
}

bool is_above_one(const Recipe& recipe, std::string_view name) {
  const expr::Value* value = value_of(recipe, name);
  return value != nullptr && value->integer() != nullptr && *value->integer() > 1;
}

bool is_unset(const Recipe& recipe, std::string_view name) {
  const expr::Value* value = value_of(recipe, name);
  return value != nullptr && value->is_unset();
}

/// "moe_act,layernorm" → [moe_act, layernorm]
void split_modules(Recipe& recipe) {
  const auto modules = recipe.fields.find("model.recompute_modules");
  const std::string* text = modules == recipe.fields.end() ? nullptr : modules->second.value.text();
  if (text == nullptr) {
    return;
  }
  expr::Value::List list;
  std::string_view rest = *text;
  for (std::size_t comma = 0; comma != std::string_view::npos;) {
    comma = rest.find(',');
    list.push_back(expr::Value::of(std::string(rest.substr(0, comma))));
    rest.remove_prefix(std::min(comma, rest.size() - 1) + 1);
  }
  modules->second.value = expr::Value::of(std::move(list));
}

/// What its configuration class completes before Megatron's class sees it.
void complete_model(Recipe& recipe) {
  const expr::Value* granularity = value_of(recipe, "model.recompute_granularity");
  if (granularity != nullptr && granularity->text() != nullptr && *granularity->text() == "full" &&
      is_unset(recipe, "model.recompute_method") &&
      is_unset(recipe, "model.recompute_num_layers")) {
    set_default(recipe, "model.recompute_method", expr::Value::of("uniform"));
    set_default(recipe, "model.recompute_num_layers", expr::Value::of(1));
  }
  const expr::Value* parallel = value_of(recipe, "model.sequence_parallel");
  const bool off = parallel != nullptr && parallel->is_known() && !parallel->truthy();
  if (off && is_above_one(recipe, "model.tensor_model_parallel_size") &&
      is_above_one(recipe, "model.expert_model_parallel_size")) {
    set_default(recipe, "model.sequence_parallel", expr::Value::of(true));
  }
  const expr::Value* lengths = value_of(recipe, "model.variable_seq_lengths");
  const expr::Value* dispatcher = value_of(recipe, "model.moe_token_dispatcher_type");
  if (lengths != nullptr && lengths->truthy() && dispatcher != nullptr &&
      dispatcher->text() != nullptr && *dispatcher->text() == "allgather") {
    set_default(recipe, "model.moe_token_dispatcher_type", expr::Value::of("alltoall"));
  }
  split_modules(recipe);
}

void complete(Recipe& recipe, const ConfigNode& root, const TrainerRole& role) {
  complete_model(recipe);
  const ConfigNode* mapping = node_at(root, role.name + ".device_mapping");
  const auto count = mapping == nullptr ? std::nullopt : device_count(*mapping);
  if (count) {
    set_world(recipe, *count, mapping->mark);
  }
}

}  // namespace

const TrainerFormat kRoll = {"roll", fits, roles, complete};

}  // namespace epwise::recipe
