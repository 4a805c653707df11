#pragma once

#include "perf/sim/constants/constants.h"
#include "perf/sim/layer/layer_passes.h"
#include "perf/sim/layer/prices.h"
#include "perf/sim/work/step_work.h"

namespace epwise::sim {

/// One step, in s.
struct StepTimes {
  double step = 0;
  double body = 0;           // all micro-batches
  double data_parallel = 0;  // exposed
  double optimizer = 0;
  double fixed = 0;  // once per step: host, logging
  Passes layer;      // with experts
  Passes stage;      // the first

  /// The event simulation gives the same within 1 % (step_nodes.h): nothing is paired, kernels and
  /// not their launches decide, replicas' traffic is hidden, and there is no pipeline, or one
  /// without virtual stages whose last stage is the slowest.
  bool exact = false;
};

/// No allocation, no law evaluation: microseconds.
///   evaluate(lower(job, machine, constants), constants, {}).step → 42.6
StepTimes evaluate(const StepWork& work, const Constants& constants, const Effects& effects);

}  // namespace epwise::sim
