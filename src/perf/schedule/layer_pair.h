#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace epwise::schedule {

/// The parts of a transformer layer that combined 1F1B schedules separately (Megatron-LM
/// core/models/common/model_chunk_schedule_plan.py), with their letter in the literature and their
/// stream. Attention includes the norms, the shared expert, the router and everything before the
/// dispatch; combine includes un-permutation and the residual. `post` exists only in multi-token
/// prediction layers.
enum class Node : std::uint8_t {
  attention_forward,   // A, compute
  dispatch_forward,    // D, comm
  experts_forward,     // M, compute; the dense MLP if a layer has no experts
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

/// Whether it belongs to a forward rather than a backward.
constexpr bool is_forward(Node node) {
  return node <= Node::post_forward;
}

/// Whether it computes weight gradients, which may be delayed.
constexpr bool is_wgrad(Node node) {
  return node == Node::experts_wgrad || node == Node::attention_wgrad;
}

/// The cost of one node, in seconds.
struct NodeCost {
  double gpu = 0;   // on its stream
  double host = 0;  // launch time on the host
  double tail = 0;  // duration of its last kernel: only used with one hardware queue
};

/// The cost of one layer for one micro-batch. Without `exchanges` (a dense layer) dispatch and
/// combine do not exist and do not wait either; nor do the two nodes of `post` without `post`.
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

/// GPU seconds of the whole layer, forward and backward, one after another.
double serial_time(const LayerCost& layer);

/// GPU seconds of its forward and of its backward (with weight gradients).
double forward_time(const LayerCost& layer);
double backward_time(const LayerCost& layer);

/// Where the host waits for the GPU in a layer's forward, because the number of received tokens
/// determines the following shapes (dropless routing).
enum class HostSync : std::uint8_t {
  none,             // counts are known or bounded in advance: drop and pad, rank capacity factor
  before_dispatch,  // all-to-all: the split sizes are copied to the host after attention
  in_dispatch  // DeepEP, HybridEP: the counts are computed by the first kernels of the dispatch
};

/// How nodes are issued. Seconds.
struct IssueRules {
  bool delayed_wgrad = false;  // weight gradients are separate nodes, after the exchanges
  bool early_release = false;  // attention's backward before the experts' forward
  bool one_queue = false;      // CUDA_DEVICE_MAX_CONNECTIONS=1: nodes start in the order of issue
  HostSync sync = HostSync::none;
  double sync_offset = 0;     // in_dispatch: from the dispatch's start to its counts
  double sync_cost = 0;       // host time lost at a synchronisation in addition to the wait
  double launch_latency = 0;  // latency from the host's call to the start of the kernel
};

/// Seconds at which each resource is free, and at which the last recorded event of the forward and
/// of the backward micro-batch fires. All zero: everything is idle.
struct Clocks {
  double compute = 0;
  double comm = 0;
  double host = 0;
  double forward = 0;
  double backward = 0;
  double queue = 0;

  /// When both GPU streams are done.
  double gpu() const { return compute > comm ? compute : comm; }
};

inline constexpr std::size_t kClockCount = 6;

/// The order in which the host issues the nodes of a forward layer and a backward layer:
///   Xb Cb Af Mb Df [Mw] Db Mf Cf Ab Xf [Aw]
/// and with early release Ab comes before Mf. Nodes in brackets exist only with delayed weight
/// gradients; otherwise their cost is added to Mb and Ab.
const std::array<Node, kNodeCount>& issue_order(const IssueRules& rules);

/// The cost of a node when issued: including its weight gradients if those are not delayed.
NodeCost issued_cost(const LayerCost& layer, Node node, const IssueRules& rules);

/// Advances the clocks by one layer of a slot. Either layer may be null: the other runs alone.
/// `keep_wgrad` omits the delayed Aw: Megatron issues that of a chunk's last backward layer after
/// the pipeline's sends.
///
/// A node starts when its stream is free, its micro-batch's event has fired and the host has issued
/// it (+ latency); it ends after its duration, but not before the host has issued all of it (+
/// latency); then it records the event. Delayed weight gradients neither wait nor record.
/// Everything is a maximum of sums, so the step x' = T ⊗ x is linear in (max, +); see
/// `pair_period`. Source: derived from `TransformerLayerSchedulePlan.run` and `ScheduleNode`,
/// Megatron-LM.
void advance(Clocks& clocks,
             const LayerCost* forward,
             const LayerCost* backward,
             const IssueRules& rules,
             bool keep_wgrad = false);

/// Issues one node: used by `advance` for each node, and for what surrounds the layers (loss,
/// embedding, delayed weight gradients). `event` is the clock that it waits for and records; null:
/// neither.
void issue(Clocks& clocks,
           const NodeCost& cost,
           double Clocks::*stream,
           double Clocks::*event,
           const IssueRules& rules);

/// Seconds that `layers` equal pairs take from idle until both streams are done. Exact.
///   A = D = M = C = 1 s in both directions, no weight gradients, two layers:
///   pair_time → 8 s: the four exchanges of a pair are hidden by its four computations
double pair_time(const LayerCost& layer, int layers, const IssueRules& rules);

/// The average growth over the last `tail` of `layers` equal pairs, started idle: what a simulation
/// of few layers measures as the period. Equal to `pair_period` once the pattern has settled and
/// `tail` is a multiple of its length.
double pair_growth(const LayerCost& layer, int layers, int tail, const IssueRules& rules);

/// The nodes of one layer of a slot in issue order, with all look-ups resolved: `advance` runs it
/// once, a stack of equal layers many times. No allocation.
class LayerScript {
 public:
  explicit LayerScript(const IssueRules& rules) : rules_(rules) {}

  /// See `advance`.
  LayerScript(const LayerCost* forward,
              const LayerCost* backward,
              const IssueRules& rules,
              bool keep_wgrad = false);

  /// See `issue`.
  void add(const NodeCost& cost, double Clocks::*stream, double Clocks::*event);

  void run(Clocks& clocks) const;

  /// The same `times` times in a row. Once all GPU clocks have grown twice by the same amount, and
  /// the host's by that or (if it never waits for the GPU) by less, this continues forever: steps
  /// over (max, +) are homogeneous, and a host that falls behind cannot become critical again. The
  /// rest is then one multiplication, up to rounding; stacks whose pattern is longer than a layer
  /// are run to the end.
  void run(Clocks& clocks, int times) const;

 private:
  struct Step {
    NodeCost cost;
    double Clocks::*stream = &Clocks::compute;
    double Clocks::*event = nullptr;
    HostSync sync = HostSync::none;
  };

  void run_step(Clocks& clocks, const Step& step) const;

  IssueRules rules_;
  std::array<Step, kNodeCount> steps_{};
  std::size_t size_ = 0;
  bool synchronises_ = false;
};

/// A square matrix over (max, +): entry [i][j] is the longest delay from clock j to clock i, −∞ for
/// none. Clocks in the order of `Clocks`.
using MaxPlusMatrix = std::array<std::array<double, kClockCount>, kClockCount>;

/// (a ⊗ b)[i][j] = max over k of a[i][k] + b[k][j]: first b, then a.
MaxPlusMatrix multiply(const MaxPlusMatrix& a, const MaxPlusMatrix& b);

/// `a` applied n ≥ 0 times, in about 2 log2 n products.
MaxPlusMatrix power(MaxPlusMatrix a, int n);

/// The clocks after `a`, starting with clocks at `x`.
Clocks apply(const MaxPlusMatrix& a, const Clocks& x);

/// The largest mean weight of a cycle (Karp 1978): the average growth of a ⊗ a ⊗ … per factor. −∞
/// if there is no cycle. Exact except for rounding; 6³ additions, no allocation.
double max_cycle_mean(const MaxPlusMatrix& a);

/// One layer of a slot as a matrix over the clocks: `advance`, column by column. Either layer may
/// be null, as there.
MaxPlusMatrix pair_matrix(const LayerCost* forward,
                          const LayerCost* backward,
                          const IssueRules& rules);

/// Seconds per layer of an infinite stack of equal layers in combined 1F1B: the largest cycle mean
/// of the pair's matrix. Exact; cycles over two layers do become critical, so no list of sums is
/// sufficient. Without host time it lies between
///   max(Σ compute, Σ exchanges, Af + Df + Mf + Cf, backward chain) and the serial sum;
/// with it, at least Σ host. A chunk of few layers takes longer than layers · period: it starts and
/// ends idle (`slot_time`).
double pair_period(const LayerCost& layer, const IssueRules& rules);

}  // namespace epwise::schedule
