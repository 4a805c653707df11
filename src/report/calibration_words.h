#pragma once

#include <string>
#include <vector>

#include "report/json_text.h"
#include "sim/prediction/measured_constants.h"

/// What all reports on predictions say of --calibration.
namespace epwise::report {

/// "4 of the 15 constants that matter here are measured, 3 without it",
/// "the interval goes 14 % up instead of 16 %".
std::vector<std::string> calibration_lines(const sim::CalibrationEffect& effect);

/// "h100.yaml (h100, 2026-11-22T11:15:00Z): 4 of the 15 constants …; …", with the notes on why it
/// may not fit.
std::string calibration_sentence(const sim::CalibrationEffect& effect);

/// {"path", "device", "constants_that_matter", "measured", "half_width", …}
Json effect_json(const sim::CalibrationEffect& effect);

}  // namespace epwise::report
