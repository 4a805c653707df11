#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "calibrate/file/calibration.h"
#include "cli/session.h"
#include "text/diagnostic.h"

namespace epwise::cli {

/// Reads a calibration; throws world::MissingError with every problem and its place for a file that
/// is damaged or none:
///   h200.yaml:31:13: `median` lies outside `low` and `high`
/// `way_out` stands behind them: "; --fresh starts anew".
calibrate::Calibration load_calibration(const Session& session,
                                        const std::string& path,
                                        std::string_view way_out = {});

/// "h200.yaml:31:13: `median` lies …; measure again", one a line.
std::string problems_text(const std::vector<text::Diagnostic>& problems);

/// "2026-11-22T11:15:00Z": now, or what SOURCE_DATE_EPOCH says.
std::string time_stamp(const world::Variables& variables);

/// "90s", "5min", "45" → seconds. Throws world::UsageError.
double parse_duration(std::string_view text, std::string_view source);

}  // namespace epwise::cli
