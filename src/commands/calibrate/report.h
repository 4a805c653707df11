#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "calibrate/file/calibration.h"
#include "calibrate/merge.h"
#include "calibrate/quantities.h"
#include "ui/findings/writer.h"
#include "ui/style.h"

namespace epwise::report {

/// A calibration for people:
///
///   h200 (NVIDIA H200), cuda, full, 2026-11-22T11:15:00Z
///   87 points measured, 12 not
///
/// used by the simulator for h200
///     overlap_sms       1.02      ± 8 %   contention.sm_weight
///     flex_nvlink       —                 no exchange between GPUs of one NVLink domain was
///     measured
///   …
///
/// `every_point` adds all points.
std::string calibration_text(const calibrate::Calibration& calibration,
                             const std::vector<calibrate::Quantity>& quantities,
                             std::string_view hw,
                             bool every_point,
                             const Style& style);

/// {"schema": "epwise.calibrate/1", "hw", "backend", "points": {"measured": 87, …}, "constants":
///  [{"name", "measured", "value", "log_sd", "basis"}], "fits": […], "weaknesses": […]}
std::string calibration_json(const calibrate::Calibration& calibration,
                             const std::vector<calibrate::Quantity>& quantities,
                             std::string_view hw);

/// Differences between two files; only notable points unless `every_point`.
std::string difference_text(const calibrate::Difference& difference,
                            bool every_point,
                            const Style& style);

/// {"schema": "epwise.calibrate-diff/1", "settings": ["driver: 570.1 → 580.2"], "points": [{"id",
/// "before_s", "after_s", "notable"}], "median_ratio"}; every point, null if there is no time
std::string difference_json(const calibrate::Difference& difference);

/// {"schema": "epwise.calibrate-check/1", "path", "weaknesses": ["3 points are noisy: …"]}
std::string check_json(std::string_view path, const std::vector<std::string>& weaknesses);

}  // namespace epwise::report
