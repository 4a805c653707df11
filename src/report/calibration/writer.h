#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "calibrate/calibration.h"
#include "calibrate/merge.h"
#include "calibrate/quantities.h"
#include "report/lint/writer.h"
#include "report/style.h"

namespace epwise::report {

/// A calibration for people:
///
///   h200 (NVIDIA H200), cuda, full, 2026-11-22T11:15:00Z
///   87 points measured, 12 not
///
///   what the simulator takes from it for h200
///     overlap_sms       1.02      ± 8 %   contention.sm_weight
///     flex_nvlink       —                 no exchange between GPUs of one NVLink domain was
///     measured
///   …
///
/// `every_point` adds them all.
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

/// What changed between two files, notable points alone unless `every_point`.
std::string difference_text(const calibrate::Difference& difference,
                            bool every_point,
                            const Style& style);

}  // namespace epwise::report
