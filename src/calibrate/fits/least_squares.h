#pragma once

#include <functional>
#include <vector>

namespace epwise::calibrate {

/// Positive parameters p and observations with errors that are relative and sometimes far off.
struct FitProblem {
  std::vector<double> start;  // several starts, one after another, are the caller's
  std::vector<double> low;
  std::vector<double> high;
  /// (model - observed) over the standard deviation of each observation, one an observation.
  std::function<std::vector<double>(const std::vector<double>& parameters)> residuals;
};

struct FitSolution {
  std::vector<double> parameters;
  /// Of the logarithms of the parameters. A parameter that the observations say nothing of has a
  /// variance of kUnknown.
  std::vector<std::vector<double>> covariance;
  double scale = 0;  // standard deviation of the residuals; 1 where they are as large as stated
  double loss = 0;

  static constexpr double kUnknown = 100;
};

/// Levenberg-Marquardt on the logarithms with Huber's weights (2 deviations, his second proposal
/// for the scale): a residual far out pulls no harder than one of two deviations. Covariance of the
/// M-estimator. Deterministic.
FitSolution minimise(const FitProblem& problem);

}  // namespace epwise::calibrate
