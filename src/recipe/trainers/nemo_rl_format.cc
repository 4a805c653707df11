#include <algorithm>
#include <array>
#include <utility>

#include "recipe/trainers/trainer_format.h"

namespace epwise::recipe {
namespace {

constexpr std::string_view kSection = "megatron_cfg";

bool is_off(const yaml::Node& megatron) {
  const yaml::Node* enabled = megatron.find("enabled");
  return enabled != nullptr && (enabled->scalar == "false" || enabled->scalar == "False");
}

bool fits(const yaml::Node& root) {
  return std::ranges::any_of(root.entries, [](const yaml::Entry& entry) {
    const yaml::Node* megatron = mapping_at(entry.value, kSection);
    return megatron != nullptr && !is_off(*megatron);
  });
}

std::vector<TrainerRole> roles(const ConfigNode& root) {
  std::vector<TrainerRole> all;
  for (const ConfigNode& child : root.children) {
    const ConfigNode* megatron = child.find(kSection);
    const ConfigNode* enabled = megatron == nullptr ? nullptr : megatron->find("enabled");
    const bool off = enabled != nullptr && enabled->value.is_known() && !enabled->value.truthy();
    if (megatron != nullptr && megatron->is_mapping() && !off) {
      all.push_back({child.name, child.name + "." + std::string(kSection), ""});
    }
  }
  // policy trains in every algorithm; others stand beside it.
  std::ranges::stable_sort(all, {}, [](const TrainerRole& role) { return role.name != "policy"; });
  return all;
}

/// Recomputation counts only where activation_checkpointing is on, and full recomputation is always
/// that of every layer. A switch that nobody sees leaves it open.
void complete_recomputation(Recipe& recipe, const ConfigNode& root, const TrainerRole& role) {
  using expr::Value;
  constexpr std::array<const char*, 3> kFields = {
      "model.recompute_method", "model.recompute_num_layers", "model.recompute_granularity"};
  const ConfigNode* node = node_at(root, role.path + ".activation_checkpointing");
  if (node == nullptr || node->value.is_unknown()) {
    for (const char* field : kFields) {
      set_default(recipe, field, Value::unknown({role.path + ".activation_checkpointing"}));
    }
  } else if (!node->value.truthy()) {
    for (const char* field : kFields) {
      set_default(recipe, field, Value::unset());
    }
  } else {
    const Field* granularity = recipe.find(kFields[2]);
    const std::string* text = granularity == nullptr ? nullptr : granularity->value.text();
    if (text != nullptr && *text == "full") {
      set_default(recipe, kFields[0], Value::of("uniform"));
      set_default(recipe, kFields[1], Value::of(1));
    }
  }
}

/// What the workers' processes get: megatron_cfg.env_vars.
void read_variables(Recipe& recipe, const ConfigNode& root, const TrainerRole& role) {
  const ConfigNode* variables = node_at(root, role.path + ".env_vars");
  if (variables == nullptr) {
    return;
  }
  for (const ConfigNode& each : variables->children) {
    const bool known = each.value.is_known() && !each.value.is_unset();
    Variable variable;
    variable.value = known ? expr::Value::of(each.value.to_text()) : each.value;
    variable.key = each.key;
    variable.mark = each.mark;
    recipe.variables.insert_or_assign(each.name, std::move(variable));
  }
}

/// Ranks that generation keeps for itself: whole nodes, or some GPUs of each.
void count_ranks(Recipe& recipe, const ConfigNode& root) {
  const auto nodes = number_at(root, "cluster.num_nodes");
  const auto gpus = number_at(root, "cluster.gpus_per_node");
  if (!nodes || !gpus) {
    return;
  }
  const text::Mark mark = node_at(root, "cluster.num_nodes")->mark;
  const std::string colocated = "policy.generation.colocated";
  const ConfigNode* enabled = node_at(root, colocated + ".enabled");
  if (enabled == nullptr || (enabled->value.is_known() && enabled->value.truthy())) {
    set_world(recipe, *nodes * *gpus, mark);
    return;
  }
  const auto other_nodes = number_at(root, colocated + ".resources.num_nodes");
  const auto other_gpus = number_at(root, colocated + ".resources.gpus_per_node");
  if (enabled->value.is_unknown() || (!other_nodes && !other_gpus)) {
    return;
  }
  if (node_at(root, "env.nemo_gym") != nullptr) {
    return;  // its servers take nodes of the cluster too
  }
  const bool whole = *nodes > 1 && other_nodes.has_value();
  if (!whole && !other_gpus) {
    return;
  }
  set_world(recipe, whole ? (*nodes - *other_nodes) * *gpus : *nodes * (*gpus - *other_gpus), mark);
}

void complete(Recipe& recipe, const ConfigNode& root, const TrainerRole& role) {
  complete_recomputation(recipe, root, role);
  const ConfigNode* eight_bit = node_at(root, role.path + ".fp8_cfg.enabled");
  const bool off =
      eight_bit != nullptr && eight_bit->value.is_known() && !eight_bit->value.truthy();
  if (off) {
    set_default(recipe, "model.fp8", expr::Value::unset());
  }
  read_variables(recipe, root, role);
  count_ranks(recipe, root);
}

}  // namespace

const TrainerFormat kNemoRl = {"nemo_rl", fits, roles, complete};

}  // namespace epwise::recipe
