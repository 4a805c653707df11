#pragma once

#include "sim/constants/constants.h"
#include "sim/work/step_work.h"

namespace epwise::sim {

struct Range {
  double value = 0;
  double low = 0;  // with high: 80 %
  double high = 0;
};

/// What nobody knows about a step, as logarithmic half widths of its 80 % interval. A class counts
/// where it applies and is 0 elsewhere; recipes that share one share the error.
struct Uncertainty {
  double base = 0;
  double routing = 0;
  double softmax = 0;
  double overlap = 0;
  double tensor_parallel = 0;
  double hardware = 0;
  double host = 0;
  double laws = 0;  // of kernels and exchanges, by their own deviations

  double half_width() const;  // of all together
};

Uncertainty uncertainty_of(const StepWork& work, const Constants& constants);

/// value · exp(± half width).
Range around(double value, double half_width);

}  // namespace epwise::sim
