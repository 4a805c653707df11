#pragma once

#include <string>
#include <vector>

#include "model/workload.h"
#include "sim/uncertainty.h"
#include "sim/waterfall.h"

namespace epwise::sim {

/// What `epwise simulate` says about one recipe.
struct Prediction {
  Range step_time;          // s
  Range tokens_per_second;  // of one GPU
  Range flops_per_second;   // of one GPU, model FLOP without recomputation
  Waterfall waterfall{};
  Uncertainty uncertainty;
};

Prediction predict(const model::Workload& job, const Machine& machine, const Constants& constants);

}  // namespace epwise::sim
