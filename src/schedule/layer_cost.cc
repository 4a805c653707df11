#include "schedule/layer_cost.h"

namespace epwise::schedule {

namespace {

constexpr std::array<std::string_view, kNodeCount> kNames = {"attention forward",
                                                             "dispatch forward",
                                                             "experts forward",
                                                             "combine forward",
                                                             "post forward",
                                                             "post backward",
                                                             "combine backward",
                                                             "experts backward",
                                                             "experts wgrad",
                                                             "dispatch backward",
                                                             "attention backward",
                                                             "attention wgrad"};

double time_of(const LayerCost& layer, bool forward) {
  double sum = 0;
  for (std::size_t i = 0; i < kNodeCount; ++i) {
    const auto node = static_cast<Node>(i);
    if (is_forward(node) == forward && layer.has(node)) {
      sum += layer[node].gpu;
    }
  }
  return sum;
}

}  // namespace

std::string_view to_string(Node node) {
  return kNames[static_cast<std::size_t>(node)];
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
