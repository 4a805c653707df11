#pragma once

#include <map>
#include <optional>
#include <string>

#include "calibrate/file/calibration.h"

namespace epwise::calibrate {

/// One row of a table of timings, by column: {"kind": "dispatch", "us": "492", …}.
using ImportRow = std::map<std::string, std::string, std::less<>>;

/// Nullopt for a row that no kernel of ours stands for, or that has no time or size.
std::optional<Point> point_of_row(const ImportRow& row, const std::string& source);

}  // namespace epwise::calibrate
