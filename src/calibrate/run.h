#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "calibrate/file/calibration.h"
#include "calibrate/sampling/sampler.h"
#include "calibrate/work/backend.h"

namespace epwise::calibrate {

/// Callbacks of a run: reporting and saving.
struct RunSettings {
  SamplerSettings sampler = {};
  std::function<void(const Calibration&)> keep = {};  // after every finished point, only on rank 0
  std::function<void(std::size_t done, std::size_t total, const std::string& sweep)> progress = {};
};

struct RunResult {
  Calibration calibration;
  std::string lost;  // the lost rank or device that ended the run; empty: none
};

/// Measures the sweeps of a plan one after another, starting from `start`; skips points that it
/// already contains (from an interrupted run). Fits the laws at the end, however the run ends.
RunResult run_plan(const std::vector<Sweep>& plan,
                   Calibration start,
                   Backend& backend,
                   Ranks& ranks,
                   const RunSettings& settings);

/// Why a file does not belong to the starting run: "mode full, not quick". Empty: it does, and the
/// run resumes from its points.
std::string other_run(const Calibration& earlier, const Calibration& start);

/// How many points a run of this plan deals with, those counted that `start` already has.
std::int64_t planned_points(const std::vector<Sweep>& plan, const Calibration& start);

/// Copies the measured points of an earlier, unfinished run if backend, device, sizes, ranks, mode
/// and seed are the same. Returns their number.
std::size_t resume(const Calibration& earlier, Calibration& start);

}  // namespace epwise::calibrate
