#pragma once

#include <vector>

#include "perf/schedule/pipeline.h"

namespace epwise::schedule {

/// The forward pieces of a stage in the order in which any of the schedules runs them: group by
/// group, in a group chunk by chunk. P = G = 2, M = 4, V = 2: 0.0 1.0 0.1 1.1 2.0 3.0 2.1 3.1.
std::vector<Piece> forward_pieces(const Pipeline& pipeline);

/// The backward pieces: the same with the chunks reversed.
std::vector<Piece> backward_pieces(const Pipeline& pipeline);

/// `warmup` forward pieces alone; then alternating forwards and backwards (or `paired` in one slot)
/// until the forwards are exhausted; then the remaining backwards.
std::vector<Slot> slots_after_warmup(const Pipeline& pipeline, int warmup, bool paired);

}  // namespace epwise::schedule
