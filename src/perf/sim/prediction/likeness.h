#pragma once

#include <string>
#include <vector>

#include "perf/sim/constants/stated_inputs.h"
#include "perf/workload/workload.h"

/// How far the error of one predicted run says something about another run.
namespace epwise::sim {

/// What decides that. Texts, so that a calibration file can hold them.
struct Traits {
  std::string model;       // "hidden 7168, 256 experts, top 8, width 2048, 128 heads, latent"
  std::string precision;   // "mxfp8"
  std::string dispatcher;  // "hybridep"
  std::string graphs;      // "none", "partial", "full_iteration"
  bool overlap = false;    // of expert-parallel communication
  std::string layout;      // everything else: "64 GPUs, tp 1, pp 4, …"

  bool operator==(const Traits&) const = default;
};

Traits traits_of(const workload::Workload& job);

/// Correlation of the prediction errors of two runs on one machine, 0 to 1. By the errors of
/// published steps whose study was left out of the fit: 0.97 for one recipe, 0.77, 0.58 and 0.33
/// for the same model with four, three and two of precision, overlap, dispatcher and graphs alike,
/// and about 0 for different models. These values lie a little below.
double likeness(const Traits& a, const Traits& b);

/// A run that was measured: logarithm of measured over predicted.
struct LearntRun {
  Traits traits;
  double log_residual = 0;
};

/// What measured runs say about another run.
struct Level {
  double log_factor = 0;  // to add to the logarithm of its predicted step
  double known = 0;       // share of the variance of its error that they explain, 0 to 1
};

/// The expected error of a run, given those of the measured runs: that of the same recipe, if it
/// was measured (repeated runs correlate by 0.95 to 0.97); otherwise errors are normal with the
/// correlations of `likeness` and an own part of each run that no other shares. Small errors are
/// mostly that own part, so that they move less than in proportion.
Level level_of(const std::vector<LearntRun>& runs, const Traits& traits);

/// Lets a prediction with these inputs follow the level.
void state_level(const Level& level, StatedInputs& stated);

/// Covariance of the errors of measured runs, in units of the variance that runs of one recipe
/// share; its Cholesky factor, row by row.
std::vector<std::vector<double>> error_factor(const std::vector<Traits>& runs);

/// factor⁻¹ · values.
std::vector<double> forward_substituted(const std::vector<std::vector<double>>& factor,
                                        std::vector<double> values);

/// Standard deviation of the shared part of an error, logarithmic.
inline constexpr double kSharedError = 0.1;

}  // namespace epwise::sim
