#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/file/calibration.h"
#include "hw/component.h"

namespace epwise::calibrate {

/// Merges files: adds the points of `more` that `base` has no time for, takes constants from the
/// newer file, and refits the laws. Nullopt with a reason for files from different devices, driver
/// branches or formats.
std::optional<Calibration> merge(const Calibration& base,
                                 const Calibration& more,
                                 std::string& problem);

/// A point in two files.
struct PointChange {
  std::string id;
  double before = 0;  // s; 0: no time
  double after = 0;
  bool notable = false;  // further apart than both intervals
};

struct Difference {
  std::vector<std::string> settings;  // "driver: 570.1 → 580.2"
  std::vector<PointChange> points;    // in the order of the first file
  double median_ratio = 1;            // after divided by before, for points in both
};

Difference difference(const Calibration& before, const Calibration& after);

/// Reasons to distrust a file: a run that did not finish; the run's own warnings; noisy, drifting, missing or wrong points
/// (grouped by reason, three names each); poor fits. Empty: none.
std::vector<std::string> weaknesses(const Calibration& calibration);

/// Differences between this machine and that of the file: GPU, driver, NCCL, DeepEP, number of
/// GPUs. `gpus` 0: unknown.
std::vector<std::string> staleness(const Calibration& calibration,
                                   const std::string& hw,
                                   const std::vector<hw::Component>& stack,
                                   int gpus);

}  // namespace epwise::calibrate
