#pragma once

#include <functional>
#include <vector>

namespace epwise::calibrate {

/// Positive parameters p and observations with relative errors and occasional outliers.
struct FitProblem {
  std::vector<double> start;  // the caller tries several starting points
  std::vector<double> low;
  std::vector<double> high;
  /// (model - observed) divided by the standard deviation, one per observation.
  std::function<std::vector<double>(const std::vector<double>& parameters)> residuals;
};

struct FitSolution {
  std::vector<double> parameters;
  /// Of the logarithms of the parameters. A parameter that the observations do not determine has
  /// variance kUnknown.
  std::vector<std::vector<double>> covariance;
  double scale = 0;  // standard deviation of the residuals; 1 if they are as large as stated
  double loss = 0;

  static constexpr double kUnknown = 100;
};

/// Levenberg-Marquardt on the logarithms with Huber weights (2 deviations, Huber's proposal 2 for
/// the scale): an outlier pulls no harder than a residual of two deviations. Returns the covariance
/// of the M-estimator. Deterministic.
FitSolution minimise(const FitProblem& problem);

}  // namespace epwise::calibrate
