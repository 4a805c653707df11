#include <algorithm>
#include <array>

#include "recipe/trainers/trainer_format.h"

namespace epwise::recipe {
namespace {

/// Keys that no flat file of another program has.
bool is_parallel_size(std::string_view key) {
  return key.ends_with("_model_parallel_size") || key == "context_parallel_size";
}

/// Keys that ms-swift's training wants beside the sizes.
bool is_of_training(std::string_view key) {
  constexpr std::array<std::string_view, 12> kKeys = {"model",
                                                      "load",
                                                      "mcore_model",
                                                      "dataset",
                                                      "cached_dataset",
                                                      "tuner_type",
                                                      "train_type",
                                                      "rlhf_type",
                                                      "output_dir",
                                                      "save",
                                                      "global_batch_size",
                                                      "micro_batch_size"};
  return std::ranges::find(kKeys, key) != kKeys.end();
}

bool fits(const yaml::Node& root) {
  const bool flat = std::ranges::all_of(root.entries, [](const yaml::Entry& entry) {
    return !entry.value.is_mapping() || entry.key == "ENV" || entry.key.ends_with("_kwargs");
  });
  const auto count = [&root](bool (*is)(std::string_view)) {
    return std::ranges::count_if(root.entries,
                                 [is](const yaml::Entry& entry) { return is(entry.key); });
  };
  return flat && count(is_parallel_size) > 0 && count(is_of_training) > 1;
}

std::vector<TrainerRole> roles(const ConfigNode& /*root*/) {
  return {{"", "", ""}};
}

const expr::Value* variable(const Recipe& recipe, std::string_view name) {
  const auto found = recipe.variables.find(name);
  return found == recipe.variables.end() ? nullptr : &found->second.value;
}

std::optional<std::int64_t> count_of(const expr::Value& value) {
  const std::string* text = value.text();
  const bool digits = text != nullptr && !text->empty() && text->size() < 8 &&
                      std::ranges::all_of(*text, [](char c) { return c >= '0' && c <= '9'; });
  return digits ? std::optional<std::int64_t>(std::stoll(*text)) : std::nullopt;
}

/// `ENV:` of the file; NPROC_PER_NODE and NNODES make torchrun's command line.
void complete(Recipe& recipe, const ConfigNode& root, const TrainerRole& /*role*/) {
  if (const ConfigNode* variables = root.find("ENV")) {
    for (const ConfigNode& each : variables->children) {
      const bool known = each.value.is_known() && !each.value.is_unset();
      recipe.variables.insert_or_assign(
          each.name,
          Variable{
              known ? expr::Value::of(each.value.to_text()) : each.value, each.key, each.mark});
    }
  }
  const expr::Value* ranks = variable(recipe, "NPROC_PER_NODE");
  const expr::Value* nodes = variable(recipe, "NNODES");
  const auto per_node = ranks == nullptr ? std::nullopt : count_of(*ranks);
  const auto count = nodes == nullptr ? std::optional<std::int64_t>(1) : count_of(*nodes);
  if (per_node && count) {
    set_world(recipe, *per_node * *count, recipe.variables.find("NPROC_PER_NODE")->second.mark);
  }
}

}  // namespace

const TrainerFormat kSwift = {"swift", fits, roles, complete};

}  // namespace epwise::recipe
