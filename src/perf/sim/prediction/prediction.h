#pragma once

#include <string>
#include <vector>

#include "perf/sim/prediction/uncertainty.h"
#include "perf/sim/step/waterfall.h"
#include "perf/workload/memory.h"
#include "perf/workload/workload.h"

namespace epwise::sim {

/// The prediction of `epwise simulate` for one recipe.
struct Prediction {
  Range step_time;          // s
  Range tokens_per_second;  // per GPU
  Range flops_per_second;   // per GPU, model FLOP without recompute
  Waterfall waterfall{};
  workload::MemoryEstimate memory;
  Range peak_memory;         // bytes, on the fullest GPU, as reported by the framework
  Range needed_memory;       // bytes, including everything that the framework does not count
  double memory_limit = 0;   // bytes per GPU; 0: not in the profile
  double out_of_memory = 0;  // probability; only meaningful with a limit
  Uncertainty uncertainty;
};

Prediction predict(const workload::Workload& job,
                   const Machine& machine,
                   const Constants& constants,
                   const StatedInputs& stated = {});

}  // namespace epwise::sim
