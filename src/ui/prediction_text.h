#pragma once

#include <string>
#include <vector>

#include "base/text/diagnostic.h"
#include "perf/sim/prediction/measured_constants.h"
#include "perf/sim/prediction/uncertainty.h"
#include "ui/json.h"

/// Parts shared by the reports of `simulate`, `compare` and `advise`.

namespace epwise::report {

/// Three significant digits: "42.6 s", "823 ms", "95.1 us".
std::string seconds_text(double seconds);

/// "6154", "31.3", "4.05": at least three significant digits of a number of at least 1.
std::string count_text(double value);

/// Twelve significant digits: more than the accuracy, and identical on every machine.
double rounded(double value);

/// A predicted figure, in multiples of `unit`, with its 80 % interval.
///   range_json(step_time) → {"value": 42.6, "low": 38.1, "high": 47.7}
Json range_json(const sim::Range& range, double unit = 1);

/// What prevented a prediction: [{"message": …, "help": …}]
Json missing_json(const std::vector<text::Diagnostic>& missing);

}  // namespace epwise::report

/// The statement about --calibration in all reports on predictions.

namespace epwise::report {

/// "4 of the 15 constants that matter here are measured, 3 without the calibration", "the interval
/// extends 14 % above the value instead of 16 %".
std::vector<std::string> calibration_lines(const sim::CalibrationEffect& effect);

/// "h100.yaml (h100, 2026-11-22T11:15:00Z): 4 of the 15 constants …; …", with notes on why it may
/// not apply.
std::string calibration_sentence(const sim::CalibrationEffect& effect);

/// {"path", "device", "constants_that_matter", "measured", "half_width", …}
Json effect_json(const sim::CalibrationEffect& effect);

}  // namespace epwise::report
