#pragma once

#include <functional>
#include <vector>

namespace epwise::fit {

/// Parameters with bounds and residuals that should be near 0.
struct Problem {
  std::vector<double> start;
  std::vector<double> scale;  // what counts as a large change of each
  std::vector<double> low;
  std::vector<double> high;
  std::function<std::vector<double>(const std::vector<double>& parameters)> residuals;
  /// Residuals far above it count by their size, below it by their square, so that a bad row pulls
  /// no harder than a good one.
  double softness = 0.03;
};

/// Sum of 2 (sqrt(1 + (r / softness)²) - 1).
double loss(const std::vector<double>& residuals, double softness);

/// Levenberg-Marquardt with those weights; parameters stay inside their bounds. Deterministic.
std::vector<double> minimise(const Problem& problem);

}  // namespace epwise::fit
