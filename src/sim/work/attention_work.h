#pragma once

#include <vector>

#include "model/workload.h"
#include "sim/work/kernel_times.h"
#include "sim/work/sizes.h"
#include "sim/work/work.h"

namespace epwise::sim {

/// What mixes tokens in front of one MLP, averaged over the layers: half of them windowed, or one
/// in four with full attention. Layers of hybrids that only mix count with the MLPs behind them: 40
/// Mamba and 8 attention layers on 40 expert layers are 1 and 0.2 in front of each.
Piece attention_work(const model::Workload& job,
                     const Sizes& sizes,
                     const KernelTimes& times,
                     const std::vector<model::Layer>& layers);

}  // namespace epwise::sim
