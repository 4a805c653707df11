#pragma once

#include <string>
#include <vector>

#include "calibrate/file/calibration.h"
#include "perf/cost/table.h"

namespace epwise::calibrate {

/// A constant of the step model from a calibration, or why it is missing.
struct Quantity {
  std::string constant;  // "overlap_sms"
  bool measured = false;
  double value = 0;   // base units
  double log_sd = 0;  // of its logarithm
  std::string basis;  // measured: from what; otherwise why not: "one GPU: no link was measured"
  int points = 0;
};

/// The most influential constants from a calibration, in order of influence. Ratios relate measured
/// times to the cost laws of the chip `hw`, so they remain valid when the laws change. `hw` is the
/// simulated profile; a file from a different device only provides host constants.
std::vector<Quantity> quantities_of(const Calibration& calibration,
                                    const cost::Table& laws,
                                    std::string_view hw);

/// Why a calibration from a different device cannot be used for `hw`; empty if it can.
std::string device_mismatch(const Calibration& calibration, std::string_view hw);

}  // namespace epwise::calibrate
