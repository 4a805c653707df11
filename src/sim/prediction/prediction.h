#pragma once

#include <string>
#include <vector>

#include "model/memory.h"
#include "model/workload.h"
#include "sim/step/waterfall.h"
#include "sim/uncertainty/uncertainty.h"

namespace epwise::sim {

/// What `epwise simulate` says about one recipe.
struct Prediction {
  Range step_time;          // s
  Range tokens_per_second;  // of one GPU
  Range flops_per_second;   // of one GPU, model FLOP without recomputation
  Waterfall waterfall{};
  model::MemoryEstimate memory;
  Range peak_memory;         // bytes, of the fullest GPU, as the framework reports them
  Range needed_memory;       // bytes, with all that the framework doesn't count
  double memory_limit = 0;   // bytes of one GPU; 0: the profile doesn't say
  double out_of_memory = 0;  // chance; meaningful with a limit
  Uncertainty uncertainty;
};

Prediction predict(const model::Workload& job,
                   const Machine& machine,
                   const Constants& constants,
                   const StatedInputs& stated = {});

}  // namespace epwise::sim
