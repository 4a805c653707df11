#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace epwise::schedule {

/// The parts of a transformer layer that combined 1F1B schedules one by one (Megatron-LM
/// core/models/common/model_chunk_schedule_plan.py). Literature letter and stream behind each.
/// Attention's part holds the norms, the shared expert, the router and what precedes the dispatch;
/// combine's part also un-permutes and adds the residual. `post` exists in layers of multi-token
/// prediction only.
enum class Node : std::uint8_t {
  attention_forward,   // A, compute
  dispatch_forward,    // D, comm
  experts_forward,     // M, compute; the dense MLP where a layer has no experts
  combine_forward,     // C, comm
  post_forward,        // X, compute
  post_backward,       // X, compute
  combine_backward,    // C, comm
  experts_backward,    // M, compute: gradients of the inputs
  experts_wgrad,       // M, compute: gradients of the weights
  dispatch_backward,   // D, comm
  attention_backward,  // A, compute: gradients of the inputs
  attention_wgrad      // A, compute: gradients of the weights
};

inline constexpr std::size_t kNodeCount = 12;

/// "attention forward", "experts wgrad", …
std::string_view to_string(Node node);

/// Whether the node runs on the communication stream.
constexpr bool is_exchange(Node node) {
  return node == Node::dispatch_forward || node == Node::combine_forward ||
         node == Node::combine_backward || node == Node::dispatch_backward;
}

/// Whether it belongs to a forward; otherwise to a backward.
constexpr bool is_forward(Node node) {
  return node <= Node::post_forward;
}

/// Whether it computes gradients of weights, which may be delayed.
constexpr bool is_wgrad(Node node) {
  return node == Node::experts_wgrad || node == Node::attention_wgrad;
}

/// What one node takes, in seconds.
struct NodeCost {
  double gpu = 0;   // on its stream
  double host = 0;  // to issue it
  double tail = 0;  // duration of its last kernel: only one hardware queue asks
};

/// What one layer takes for one micro-batch. Without `exchanges` (a dense layer) dispatch and
/// combine don't exist; they don't even wait. Without `post` its two nodes don't.
struct LayerCost {
  std::array<NodeCost, kNodeCount> nodes{};
  bool exchanges = true;
  bool post = false;

  NodeCost& operator[](Node node) { return nodes[static_cast<std::size_t>(node)]; }

  const NodeCost& operator[](Node node) const { return nodes[static_cast<std::size_t>(node)]; }

  bool has(Node node) const {
    const bool behind = node == Node::post_forward || node == Node::post_backward;
    return (exchanges || !is_exchange(node)) && (post || !behind);
  }
};

/// GPU seconds of the whole layer, forward and backward, one after the other.
double serial_time(const LayerCost& layer);

/// GPU seconds of its forward and of its backward (with weight gradients).
double forward_time(const LayerCost& layer);
double backward_time(const LayerCost& layer);

}  // namespace epwise::schedule
