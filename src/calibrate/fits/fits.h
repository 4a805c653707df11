#pragma once

#include <vector>

#include "calibrate/file/calibration.h"

namespace epwise::calibrate {

/// Every law that the points support: an SM curve per kind of exchange, a line per collective and
/// scope, a table over available SMs and a surface per kind of GEMM, contention over all pairs.
/// Refitted whenever points change.
std::vector<Fit> fit_all(const Calibration& calibration);

}  // namespace epwise::calibrate
