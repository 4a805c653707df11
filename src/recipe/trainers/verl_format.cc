#include <algorithm>
#include <array>

#include "recipe/trainers/trainer_format.h"

namespace epwise::recipe {
namespace {

constexpr std::string_view kActor = "actor_rollout_ref.actor.megatron";

bool names_megatron(const yaml::Node& node) {
  return node.is_scalar() && node.scalar.find("megatron") != std::string::npos;
}

/// Whether a role runs on Megatron, or may: strategies are also chosen by a file of defaults.
bool is_megatron_role(const yaml::Node& role) {
  const yaml::Node* strategy = role.find("strategy");
  return mapping_at(role, "megatron") != nullptr ||
         (strategy != nullptr && names_megatron(*strategy));
}

bool inherits_megatron(const yaml::Node& root) {
  const yaml::Node* defaults = root.find("defaults");
  return defaults != nullptr && std::ranges::any_of(defaults->items, [](const yaml::Node& item) {
           return names_megatron(item) ||
                  std::ranges::any_of(item.entries, [](const yaml::Entry& entry) {
                    return names_megatron(entry.value);
                  });
         });
}

bool fits(const yaml::Node& root) {
  const yaml::Node* all = mapping_at(root, "actor_rollout_ref");
  const yaml::Node* critic = mapping_at(root, "critic");
  if (all == nullptr) {
    return critic != nullptr && mapping_at(*critic, "megatron") != nullptr;
  }
  const yaml::Node* actor = mapping_at(*all, "actor");
  const yaml::Node* strategy = actor == nullptr ? nullptr : actor->find("strategy");
  if (strategy != nullptr && strategy->is_scalar() && !strategy->scalar.starts_with("${")) {
    return names_megatron(*strategy);
  }
  return (actor != nullptr && is_megatron_role(*actor)) || inherits_megatron(root);
}

std::vector<TrainerRole> roles(const ConfigNode& root) {
  std::vector<TrainerRole> all = {{"actor", std::string(kActor), ""}};
  const std::array<TrainerRole, 2> others = {
      TrainerRole{"ref", "actor_rollout_ref.ref.megatron", std::string(kActor)},
      TrainerRole{"critic", "critic.megatron", ""}};
  const Trainer trainer = load_trainer(kVerl.trainer);
  std::ranges::copy_if(others, std::back_inserter(all), [&](const TrainerRole& role) {
    return count_settings(root, role, trainer) > 0;
  });
  return all;
}

void complete(Recipe& recipe, const ConfigNode& root, const TrainerRole& /*role*/) {
  constexpr std::int64_t kGpusPerNode = 8;
  const ConfigNode* nodes = node_at(root, "trainer.nnodes");
  const ConfigNode* gpus = node_at(root, "trainer.n_gpus_per_node");
  const auto count = [](const ConfigNode* node, std::int64_t otherwise) {
    const std::int64_t* number = node == nullptr ? &otherwise : node->value.integer();
    return number == nullptr ? std::int64_t{0} : *number;
  };
  const std::int64_t product = count(nodes, 1) * count(gpus, kGpusPerNode);
  const ConfigNode* written = gpus != nullptr ? gpus : nodes;
  set_world(recipe, product, written == nullptr ? text::Mark() : written->mark);
}

}  // namespace

const TrainerFormat kVerl = {"verl", fits, roles, complete};

}  // namespace epwise::recipe
