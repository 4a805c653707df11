#pragma once

#include <span>

#include "schedule/layer_pair.h"

namespace epwise::schedule {

/// `count` equal layers in a row; `layer` is an index into a table of layer costs.
struct LayerRun {
  int layer = 0;
  int count = 1;
};

/// One model chunk: its layers in the model's order and what stands around them. The chunk at the
/// model's start has an embedding, that at its end a loss (output layer and cross entropy); zero
/// costs elsewhere. Views only: the layers and the table must outlive it.
struct ChunkCost {
  std::span<const LayerRun> layers;
  NodeCost embedding_forward;
  NodeCost embedding_backward;
  NodeCost loss_forward;
  NodeCost loss_backward;
};

int layer_count(const ChunkCost& chunk);

/// Seconds of one slot, from the moment at which its streams are free until they meet again.
struct SlotTime {
  double duration = 0;
  double forward_early = 0;   // the forward's output leaves so long before the end
  double backward_early = 0;  // the gradient of the backward's input does
  double host = 0;            // until the host has issued everything
};

/// The time of a slot from rest; either chunk may be null. Exact: the recurrence of `advance` over
/// the real layers. Forward layer i meets backward layer L − 1 − i; when the chunks differ in
/// length the rest runs unpaired, backward layers first. Order: embedding forward, loss backward,
/// layers, sends, delayed weight gradient of attention in the first layer, loss forward, embedding
/// backward (`TransformerModelChunkSchedulePlan.run`, Megatron-LM).
///   two equal layers of 1 s a node (no weight gradients), nothing around them:
///   slot_time → {duration 8, forward_early 0, backward_early 0, host 0}
SlotTime slot_time(std::span<const LayerCost> table,
                   const ChunkCost* forward,
                   const ChunkCost* backward,
                   const IssueRules& rules);

/// The same, continuing with the clocks that an earlier slot left: the streams meet at the start,
/// but the host may already be ahead. A step's pace when the host is the limit is the growth from
/// one equal slot to the next.
SlotTime slot_time(std::span<const LayerCost> table,
                   const ChunkCost* forward,
                   const ChunkCost* backward,
                   const IssueRules& rules,
                   Clocks& clocks);

}  // namespace epwise::schedule
