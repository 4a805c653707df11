#pragma once

#include "sim/constants.h"
#include "sim/effects.h"
#include "sim/step_work.h"

namespace epwise::sim {

/// Durations of a layer, or of a chunk or stage of them, for one micro-batch, in s.
struct Passes {
  double forward = 0;
  double backward = 0;
  double both = 0;  // a forward and a backward pass at once, of different micro-batches

  void add(const Passes& other, double times);
};

/// One step, in s.
struct StepTimes {
  double step = 0;
  double body = 0;           // all micro-batches
  double data_parallel = 0;  // exposed
  double optimizer = 0;
  double fixed = 0;  // once a step: host, logging
  Passes layer;      // with experts
  Passes stage;      // the longest
};

/// No allocation, no law: microseconds.
///   evaluate(lower(job, machine, constants), constants, {}).step → 42.6
StepTimes evaluate(const StepWork& work, const Constants& constants, const Effects& effects);

}  // namespace epwise::sim
