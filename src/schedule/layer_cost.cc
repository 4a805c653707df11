#include "schedule/layer_cost.h"

namespace epwise::schedule {

namespace {

struct NodeTraits {
  std::string_view name;
  bool exchange;
  bool post;
  bool forward;
};

constexpr std::array<NodeTraits, kNodeCount> kTraits = {{
    {"attention forward", false, false, true},
    {"dispatch forward", true, false, true},
    {"experts forward", false, false, true},
    {"combine forward", true, false, true},
    {"post forward", false, true, true},
    {"post backward", false, true, false},
    {"combine backward", true, false, false},
    {"experts backward", false, false, false},
    {"experts wgrad", false, false, false},
    {"dispatch backward", true, false, false},
    {"attention backward", false, false, false},
    {"attention wgrad", false, false, false},
}};

const NodeTraits& traits(Node node) {
  return kTraits[static_cast<std::size_t>(node)];
}

double time_of(const LayerCost& layer, bool forward) {
  double sum = 0;
  for (std::size_t i = 0; i < kNodeCount; ++i) {
    const auto node = static_cast<Node>(i);
    if (traits(node).forward == forward && layer.has(node)) {
      sum += layer[node].gpu;
    }
  }
  return sum;
}

}  // namespace

std::string_view to_string(Node node) {
  return traits(node).name;
}

bool is_exchange(Node node) {
  return traits(node).exchange;
}

bool is_forward(Node node) {
  return traits(node).forward;
}

bool is_wgrad(Node node) {
  return node == Node::experts_wgrad || node == Node::attention_wgrad;
}

bool LayerCost::has(Node node) const {
  return (exchanges || !traits(node).exchange) && (post || !traits(node).post);
}

double forward_time(const LayerCost& layer) {
  return time_of(layer, true);
}

double backward_time(const LayerCost& layer) {
  return time_of(layer, false);
}

double serial_time(const LayerCost& layer) {
  return forward_time(layer) + backward_time(layer);
}

}  // namespace epwise::schedule
