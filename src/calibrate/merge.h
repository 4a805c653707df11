#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/file/calibration.h"
#include "hw/component.h"

namespace epwise::calibrate {

/// One file of several: points of `more` that `base` has no time for, constants of the newer one;
/// laws fitted anew. Nullopt and why for files of different devices, drivers' branches or formats.
std::optional<Calibration> merge(const Calibration& base,
                                 const Calibration& more,
                                 std::string& problem);

/// A point in two files.
struct PointChange {
  std::string id;
  double before = 0;  // s; 0: no time there
  double after = 0;
  bool notable = false;  // further apart than both intervals
};

struct Difference {
  std::vector<std::string> settings;  // "driver: 570.1 → 580.2"
  std::vector<PointChange> points;    // in the order of the first file
  double median_ratio = 1;            // after over before, of the points that both have
};

Difference difference(const Calibration& before, const Calibration& after);

/// What makes a file doubtful: what the run itself warned of, points that are noisy, drifted,
/// missing or wrong (by what ails them, three of each by name), poor laws. Empty: nothing.
std::vector<std::string> weaknesses(const Calibration& calibration);

/// Where the machine of today is another than that of the file: GPU, driver, NCCL, DeepEP, number
/// of GPUs. `gpus` 0: not known.
std::vector<std::string> staleness(const Calibration& calibration,
                                   const std::string& hw,
                                   const std::vector<hw::Component>& stack,
                                   int gpus);

}  // namespace epwise::calibrate
