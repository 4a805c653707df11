#pragma once

#include <string>
#include <vector>

#include "calibrate/file/calibration.h"

namespace epwise::calibrate {

/// The middle value, or the mean of the two middle values. Must not be empty.
double median_of(std::vector<double> values);

/// Median, its 95 % interval by order statistics, and further statistics of repetitions. Outliers
/// are counted but not removed: the median is robust against them. Empty for no seconds.
///   timing_of({1.00, 1.02, 0.99, 1.01, 1.60, 1.00}).median → 1.005, outliers 1
Timing timing_of(std::vector<double> seconds);

/// The interval's half width divided by the median; infinite for fewer than six repetitions, which
/// cannot bound the median with 95 %.
double tightness(const Timing& timing);

/// Whether the last third of the rounds differs from the first by more than 2 % and by more than
/// their noise explains.
bool has_drifted(const std::vector<double>& seconds);

}  // namespace epwise::calibrate
