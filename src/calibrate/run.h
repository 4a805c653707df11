#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "calibrate/file/calibration.h"
#include "calibrate/sampling/sampler.h"
#include "calibrate/work/backend.h"

namespace epwise::calibrate {

/// How a run is told about and kept.
struct RunSettings {
  SamplerSettings sampler = {};
  std::function<void(const Calibration&)> keep = {};  // after every finished point, rank 0 alone
  std::function<void(std::size_t done, std::size_t total, const std::string& sweep)> progress = {};
};

struct RunResult {
  Calibration calibration;
  std::string lost;  // the rank or device whose loss ended the run; empty: none
};

/// Measures the sweeps of a plan one after another into `start`, which says what is known before
/// the first point; points of the plan that it has already (a run that was cut short) are not
/// measured again. Laws are fitted at the end, whatever the end.
RunResult run_plan(const std::vector<Sweep>& plan,
                   Calibration start,
                   Backend& backend,
                   Ranks& ranks,
                   const RunSettings& settings);

/// Why a file is not of the run that begins: "mode full, not quick". Empty: it is, the run goes on
/// with its points.
std::string other_run(const Calibration& earlier, const Calibration& start);

/// Takes the measured points of a file of an earlier, unfinished run over, where backend, device,
/// sizes, ranks, mode and seed are the same. Returns how many.
std::size_t resume(const Calibration& earlier, Calibration& start);

}  // namespace epwise::calibrate
