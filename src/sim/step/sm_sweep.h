#pragma once

#include <vector>

#include "sim/constants/constants.h"
#include "sim/work/step_work.h"

namespace epwise::sim {

/// A step with another number of SMs for the dispatcher's kernels.
struct SmPoint {
  int sms = 0;
  double step = 0;      // s
  double exchange = 0;  // s, one exchange of a layer and micro-batch, alone
};

/// The dispatcher's SMs from few to many, everything else equal.
struct SmSweep {
  std::vector<SmPoint> points;  // 4, 6, … and the recipe's own
  int own = 0;                  // of the recipe
  int best = 0;                 // the fewest of those that take no longer than any other
  int flat_from = 0;            // within 0.5 % of the best: from here …
  int flat_to = 0;              // … to here
};

/// Empty where the dispatcher has no such number (NCCL's all-to-all and all-gather), or nothing is
/// exchanged. `most`: no more SMs than these are looked at.
SmSweep sm_sweep(const StepWork& work, const Constants& constants, int most = 64);

}  // namespace epwise::sim
