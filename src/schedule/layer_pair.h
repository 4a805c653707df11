#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "schedule/layer_cost.h"

namespace epwise::schedule {

/// Where the host waits for the GPU in a layer's forward, because the number of tokens that arrive
/// decides the shapes that follow (dropless routing).
enum class HostSync : std::uint8_t {
  none,             // counts are known or bounded beforehand: drop and pad, rank capacity factor
  before_dispatch,  // all-to-all: the split sizes are copied to the host when attention has run
  in_dispatch       // DeepEP, HybridEP: the counts come out of the dispatch's first kernels
};

/// How nodes are issued. Seconds.
struct IssueRules {
  bool delayed_wgrad = false;  // weight gradients are nodes of their own, behind the exchanges
  bool early_release = false;  // attention's backward before the experts' forward
  bool one_queue = false;      // CUDA_DEVICE_MAX_CONNECTIONS=1: nodes start in the order of issue
  HostSync sync = HostSync::none;
  double sync_offset = 0;     // in_dispatch: from the dispatch's start to its counts
  double sync_cost = 0;       // host time lost at a synchronisation besides the waiting
  double launch_latency = 0;  // from the host's call to the kernel's start
};

/// Seconds at which each resource is free, and at which the last recorded event of the forward and
/// of the backward micro-batch fires. All zero: everything at rest.
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
/// and with early release Ab stands before Mf. Nodes in brackets only when weight gradients are
/// delayed; otherwise their cost is added to Mb and Ab.
const std::array<Node, kNodeCount>& issue_order(const IssueRules& rules);

/// What a node takes when it is issued: with its weight gradients where those are not delayed.
NodeCost issued_cost(const LayerCost& layer, Node node, const IssueRules& rules);

/// Advances the clocks by one layer of a slot. Either layer may be null: the other runs alone.
/// `keep_wgrad` leaves out the delayed Aw: Megatron issues that of a chunk's last backward layer
/// behind the pipeline's sends.
///
/// A node starts when its stream is free, its micro-batch's event has fired and the host has issued
/// it (+ latency); it ends after its duration, and not before the host has issued all of it
/// (+ latency); then it records the event. Delayed weight gradients neither wait nor record.
/// Everything is a maximum of sums, so that the step x' = T ⊗ x is linear in (max, +); see
/// `pair_period`. Source: derived from `TransformerLayerSchedulePlan.run` and `ScheduleNode`,
/// Megatron-LM.
void advance(Clocks& clocks,
             const LayerCost* forward,
             const LayerCost* backward,
             const IssueRules& rules,
             bool keep_wgrad = false);

/// Issues one node by itself: what `advance` does for each, and what stands around layers (loss,
/// embedding, delayed weight gradients) needs. `event` is the clock that it waits for and records;
/// null: neither.
void issue(Clocks& clocks,
           const NodeCost& cost,
           double Clocks::*stream,
           double Clocks::*event,
           const IssueRules& rules);

/// Seconds that `layers` equal pairs take from rest until both streams are done. Exact.
///   A = D = M = C = 1 s in both directions, no weight gradients, two layers:
///   pair_time → 8 s: the four exchanges of a pair hide behind its four computations
double pair_time(const LayerCost& layer, int layers, const IssueRules& rules);

/// The average growth over the last `tail` of `layers` equal pairs run from rest: what a simulation
/// of few layers reads as the period. Equal to `pair_period` once the pattern has settled and
/// `tail` is a multiple of its length.
double pair_growth(const LayerCost& layer, int layers, int tail, const IssueRules& rules);

}  // namespace epwise::schedule
