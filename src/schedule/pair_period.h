#pragma once

#include "schedule/layer_pair.h"
#include "schedule/max_plus.h"

namespace epwise::schedule {

/// One layer of a slot as a matrix over the clocks: `advance`, column by column. Either layer may
/// be null, as there.
MaxPlusMatrix pair_matrix(const LayerCost* forward,
                          const LayerCost* backward,
                          const IssueRules& rules);

/// Seconds per layer of an endless stack of equal layers in combined 1F1B: the largest cycle mean
/// of the pair's matrix. Exact; two-layer cycles do become critical, which is why no list of sums
/// stands in for it. Without host time it lies between
///   max(Σ compute, Σ exchanges, Af + Df + Mf + Cf, backward chain) and the serial sum;
/// with it, at least Σ host. A chunk of few layers takes longer than layers · period: it starts
/// and ends at rest (`slot_time`).
double pair_period(const LayerCost& layer, const IssueRules& rules);

}  // namespace epwise::schedule
