#include "calibrate/sampling/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace epwise::calibrate {

namespace {

constexpr std::size_t kLeastRounds = 6;  // 1 - 2 / 2^6 = 0.969

/// For sorted values; interpolates linearly.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// How many values can be dropped at each end of n so that the rest contains the median with 95 %:
/// the largest j with P(Binomial(n, 1/2) < j) ≤ 2.5 %.
std::size_t left_off(std::size_t n) {
  double term = std::pow(0.5, static_cast<double>(n));
  double below = 0;
  std::size_t j = 0;
  while (j < n / 2 && below + term <= 0.025) {
    below += term;
    term *= static_cast<double>(n - j) / static_cast<double>(j + 1);
    ++j;
  }
  return j;
}

}  // namespace

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

namespace {

double robust_deviation(const std::vector<double>& values, double median) {
  constexpr double kNormal = 1.4826;
  std::vector<double> off;
  off.reserve(values.size());
  for (const double value : values) {
    off.push_back(std::abs(value - median));
  }
  return kNormal * median_of(std::move(off));
}

}  // namespace

Timing timing_of(std::vector<double> seconds) {
  Timing timing;
  if (seconds.empty()) {
    return timing;
  }
  std::sort(seconds.begin(), seconds.end());
  const std::size_t n = seconds.size();
  timing.rounds = static_cast<int>(n);
  timing.median = quantile(seconds, 0.5);
  const std::size_t off = n < kLeastRounds ? 0 : left_off(n) - 1;  // ranks count from 1
  timing.low = seconds[off];
  timing.high = seconds[n - 1 - off];
  timing.p10 = quantile(seconds, 0.1);
  timing.p90 = quantile(seconds, 0.9);
  timing.least = seconds.front();
  const double deviation = robust_deviation(seconds, timing.median);
  timing.spread = deviation / timing.median;
  constexpr double kFar = 5;
  constexpr double kLeastFar = 0.1;
  const double far = std::max(kFar * deviation, kLeastFar * timing.median);
  timing.outliers =
      static_cast<int>(std::count_if(seconds.begin(), seconds.end(), [&](double second) {
        return std::abs(second - timing.median) > far;
      }));
  return timing;
}

double tightness(const Timing& timing) {
  if (timing.rounds < static_cast<int>(kLeastRounds) || timing.median <= 0) {
    return std::numeric_limits<double>::infinity();
  }
  return (timing.high - timing.low) / (2 * timing.median);
}

bool has_drifted(const std::vector<double>& seconds) {
  constexpr double kWorthSaying = 0.02;
  const std::size_t third = seconds.size() / 3;
  if (third < 3) {
    return false;
  }
  const auto part = static_cast<std::ptrdiff_t>(third);
  const double first = median_of({seconds.begin(), seconds.begin() + part});
  const double last = median_of({seconds.end() - part, seconds.end()});
  // A drift, even a steady one, must not be hidden in the spread: noise is estimated from adjacent
  // rounds.
  std::vector<double> steps;
  for (std::size_t i = 1; i < seconds.size(); ++i) {
    steps.push_back(std::abs(seconds[i] - seconds[i - 1]));
  }
  constexpr double kStepToDeviation = 1.0483;  // median |a - b| of two normals is 0.954 deviations
  constexpr double kMedianLoss = 1.2533;
  const double noise = kStepToDeviation * median_of(steps) * kMedianLoss *
                       std::sqrt(2.0 / static_cast<double>(third));
  constexpr double kDeviations = 3;
  const double shift = std::abs(last - first);
  return shift > kWorthSaying * first && shift > kDeviations * noise;
}

}  // namespace epwise::calibrate
