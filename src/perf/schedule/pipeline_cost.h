#pragma once

#include <span>

#include "perf/schedule/layer_pair.h"
#include "perf/schedule/pipeline.h"

namespace epwise::schedule {

/// `count` consecutive equal layers; `layer` is an index into a table of layer costs.
struct LayerRun {
  int layer = 0;
  int count = 1;
};

/// One model chunk: its layers in the model's order and what surrounds them. The first chunk of the
/// model has an embedding, the last one a loss (output layer and cross-entropy); their costs are
/// zero elsewhere. Views only: the layers and the table must outlive it.
struct ChunkCost {
  std::span<const LayerRun> layers;
  NodeCost embedding_forward;
  NodeCost embedding_backward;
  NodeCost loss_forward;
  NodeCost loss_backward;
};

int layer_count(const ChunkCost& chunk);

/// Seconds of one slot, from the moment at which its streams are free until they synchronise again.
struct SlotTime {
  double duration = 0;
  double forward_early = 0;   // how long before the end the forward's output leaves
  double backward_early = 0;  // how long before the end the gradient of the backward's input leaves
  double host = 0;            // until the host has issued everything
};

/// The time of a slot starting with idle streams; either chunk may be null. Exact: the recurrence
/// of `advance` over the real layers. Forward layer i is paired with backward layer L − 1 − i; if
/// the chunks differ in length the rest runs unpaired, backward layers first. Order: embedding
/// forward, loss backward, layers, sends, delayed weight gradient of attention in the first layer,
/// loss forward, embedding backward (`TransformerModelChunkSchedulePlan.run`, Megatron-LM).
///   two equal layers of 1 s per node (no weight gradients), nothing around them:
///   slot_time → {duration 8, forward_early 0, backward_early 0, host 0}
SlotTime slot_time(std::span<const LayerCost> table,
                   const ChunkCost* forward,
                   const ChunkCost* backward,
                   const IssueRules& rules);

/// The same, continuing with the clocks left by an earlier slot: the streams synchronise at the
/// start, but the host may already be ahead. If the host is the limit, the step's pace is the
/// growth from one equal slot to the next.
SlotTime slot_time(std::span<const LayerCost> table,
                   const ChunkCost* forward,
                   const ChunkCost* backward,
                   const IssueRules& rules,
                   Clocks& clocks);

/// The cost of the chunk at one position, running alone. Seconds.
struct PieceTime {
  double forward = 0;
  double backward = 0;
  double backward_early = 0;  // how long before its end the gradient of the input leaves
};

/// How tensors between stages are sent.
struct Hop {
  double seconds = 0;

  /// True: sends and receives overlap with computation (`overlap_p2p_comm`, usual with virtual
  /// stages); a tensor arrives `seconds` after it left. False: a stage is blocked for `seconds`
  /// between two slots whenever the first sends or the second receives (one exchange serves both).
  bool overlapped = true;
};

/// Gradients and parameters exchanged between data-parallel replicas while the pipeline runs.
/// Seconds per position, empty: none. They share one stream of the stage.
struct ReplicaCost {
  std::span<const double> gather;  // parameters, before the chunk's first forward
  std::span<const double> reduce;  // gradients, after the chunk's last backward

  /// Number of equal parts of a chunk's exchange; a part of the computation can begin when its part
  /// of the gather has ended, a part of the reduction when its part of the backward has.
  int buckets = 1;

  /// Stage r starts its reductions r slots after the chunk's last backward, all buckets at once, so
  /// that all stages start together (Megatron's `align_grad_reduce` with virtual stages).
  bool aligned = false;
};

/// All durations of one step. Views only; what they refer to must outlive it.
struct PipelineCost {
  std::span<const PieceTime> pieces;  // by position

  /// Paired slots: [(stage * V + forward chunk) * V + backward chunk]. Empty: forward + backward,
  /// the forward first, so nothing is hidden.
  std::span<const SlotTime> pairs;
  Hop hop;
  ReplicaCost replicas;
  double optimizer = 0;  // after everything else, on all stages at once
};

/// One of the durations; none are given: 0.
double value_at(std::span<const double> values, int index);

/// The cost of one slot of a stage.
SlotTime time_of_slot(const Pipeline& pipeline,
                      const PipelineCost& cost,
                      int stage,
                      const Slot& slot);

}  // namespace epwise::schedule
