#include <algorithm>
#include <array>

#include "recipe/trainers/trainer_format.h"

namespace epwise::recipe {
namespace {

/// Parallel sizes and the Lightning trainer beside them; scripts that only load a model have no
/// batch.
bool fits(const yaml::Node& root) {
  const yaml::Node* model = mapping_at(root, "model");
  const yaml::Node* trainer = mapping_at(root, "trainer");
  constexpr std::array<std::string_view, 2> kSizes = {"tensor_model_parallel_size",
                                                      "pipeline_model_parallel_size"};
  const auto has = [](const yaml::Node& node, std::string_view key) {
    return node.find(key) != nullptr;
  };
  return model != nullptr && trainer != nullptr && has(*trainer, "devices") &&
         has(*model, "micro_batch_size") &&
         std::ranges::all_of(kSizes, [&](std::string_view key) { return has(*model, key); });
}

std::vector<TrainerRole> roles(const ConfigNode& /*root*/) {
  return {{"", "model", ""}};
}

void complete(Recipe& recipe, const ConfigNode& root, const TrainerRole& /*role*/) {
  const auto devices = number_at(root, "trainer.devices");
  const auto nodes = number_at(root, "trainer.num_nodes");
  const bool said = node_at(root, "trainer.num_nodes") != nullptr;
  if (devices && (nodes || !said)) {
    set_world(recipe, *devices * nodes.value_or(1), node_at(root, "trainer.devices")->mark);
  }
}

}  // namespace

const TrainerFormat kNemo = {"nemo", fits, roles, complete};

}  // namespace epwise::recipe
