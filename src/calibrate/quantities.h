#pragma once

#include <string>
#include <vector>

#include "calibrate/file/calibration.h"
#include "cost/table.h"

namespace epwise::calibrate {

/// A constant of the step model as a calibration tells it, or why it doesn't.
struct Quantity {
  std::string constant;  // "overlap_sms"
  bool measured = false;
  double value = 0;   // base units
  double log_sd = 0;  // of its logarithm
  std::string basis;  // measured: from what; else why not: "one GPU: no link was measured"
  int points = 0;
};

/// What a calibration says of the constants that decide most, in the order of their weight. Ratios
/// are of measured times to the cost laws of the chip `hw`: they stay right when the laws change.
/// `hw`: the profile that is simulated; a file of another device tells of the host alone.
std::vector<Quantity> quantities_of(const Calibration& calibration,
                                    const cost::Table& laws,
                                    std::string_view hw);

/// Why a calibration of another device can't speak for `hw`; empty when it can.
std::string device_mismatch(const Calibration& calibration, std::string_view hw);

}  // namespace epwise::calibrate
