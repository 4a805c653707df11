#pragma once

#include <vector>

#include "calibrate/file/calibration.h"

namespace epwise::calibrate {

/// Every law that the points can bear: an SM curve for each kind of exchange, a line for each
/// collective and scope, a table over SMs left and a surface for each kind of GEMM, contention over
/// all pairs. Made anew whenever points change.
std::vector<Fit> fit_all(const Calibration& calibration);

}  // namespace epwise::calibrate
