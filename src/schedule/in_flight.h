#pragma once

#include <span>

#include "schedule/pipeline.h"

namespace epwise::schedule {

/// Activations that one chunk keeps from a micro-batch's forward until its backward: any unit
/// (bytes, layers, 1). They grow layer by layer in the forward and shrink so in the backward.
struct ChunkActivations {
  double size = 1;
  int layers = 1;
};

/// The most chunks of one stage whose forward has begun and whose backward has not ended, by
/// replay of the schedule's order.
///   P = 4, M = 8, stages 0 … 3 → 4 3 2 1;  combined without a pipeline → 2
int peak_chunks_in_flight(const Pipeline& pipeline, int stage);

/// The same as a closed form, the warm-up's forwards and one more:
///   min(W + 1, M V), W = P − r − 1, or 2 (P − r − 1) + (V − 1) G, and one more when combined.
int chunks_in_flight(const Pipeline& pipeline, int stage);

/// The largest sum of activations that the stage holds, in the unit of `chunks[…].size`, by replay:
/// one entry per chunk of the stage. In a paired slot the forward's first layers are there before
/// the backward's last are gone: equal chunks of L layers peak at n + 1/L chunks, not n + 1.
///   no pipeline, combined, one chunk of size 32 in 32 layers → 33
double peak_activations(const Pipeline& pipeline,
                        int stage,
                        std::span<const ChunkActivations> chunks);

}  // namespace epwise::schedule
