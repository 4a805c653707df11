#pragma once

#include "model/workload.h"
#include "sim/work/kernel_times.h"
#include "sim/work/work.h"

namespace epwise::sim {

/// A linear layer: `rows` of width `in` become width `out`.
struct Linear {
  double rows = 0;
  double out = 0;
  double in = 0;
};

/// Products of both directions, the accumulation of the weight gradient in FP32, and what
/// quantises input and gradient.
void add_linear(Piece& piece,
                const KernelTimes& times,
                model::Precision precision,
                const Linear& layer);

/// The same for all local experts at once; `layer.rows` are one expert's.
void add_expert_linear(Piece& piece,
                       const KernelTimes& times,
                       model::Precision precision,
                       double experts,
                       const Linear& layer,
                       bool fused);

}  // namespace epwise::sim
