#pragma once

#include <vector>

#include "calibrate/file/calibration.h"
#include "yaml/node.h"

namespace epwise::calibrate {

/// One fit of a calibration file; reports what it can't read.
Fit read_fit(const yaml::Node& node, std::vector<text::Diagnostic>& problems);

}  // namespace epwise::calibrate
