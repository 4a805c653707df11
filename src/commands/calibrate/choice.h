#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "calibrate/file/calibration.h"
#include "perf/cost/table.h"
#include "perf/sim/prediction/likeness.h"
#include "perf/sim/prediction/measured_constants.h"
#include "perf/workload/workload.h"
#include "session/options/arguments.h"
#include "ui/command.h"
#include "ui/console.h"

namespace epwise::cli {

/// Reads a calibration; throws os::MissingError with every problem and its location for a file
/// that is damaged or not a calibration:
///   h200.yaml:31:13: `median` lies outside `low` and `high`
/// `way_out` is appended: "; --fresh starts anew".
calibrate::Calibration load_calibration(const Console& console,
                                        const std::string& path,
                                        std::string_view way_out = {});

/// "h200.yaml:31:13: `median` is …; measure again", one per line.
std::string problems_text(const std::vector<text::Diagnostic>& problems);

/// "2026-11-22T11:15:00Z": now, or the time in SOURCE_DATE_EPOCH.
std::string time_stamp(const os::Variables& variables);

/// "90s", "5min", "45" → seconds. Throws os::UsageError.
double parse_duration(std::string_view text, std::string_view source);

/// --calibration FILE, for the commands that predict and for lint.
Option calibration_option();

/// The file that --calibration names, read.
class CalibrationChoice {
 public:
  CalibrationChoice(std::string path, calibrate::Calibration calibration)
      : path_(std::move(path)),
        calibration_(std::move(calibration)) {}

  /// Constants of the step model that it provides for `hw`.
  std::vector<sim::MeasuredConstant> measured(const cost::Table& laws, std::string_view hw) const;

  /// What its measured steps say about a job on `hw`; nothing if they were measured on other GPUs.
  sim::Level level(const workload::Workload& job, std::string_view hw) const;

  /// The report's statement before a prediction: file, device, and why it may not match today's
  /// machine.
  sim::CalibrationEffect effect(const Console& console, const std::string& hw) const;

  /// Differences from today's machine: GPU, driver, NCCL, DeepEP, number of GPUs.
  std::vector<std::string> staleness(const Console& console, const std::string& hw) const;

 private:
  std::string path_;
  calibrate::Calibration calibration_;
};

/// Nullopt when the option is not there. Throws os::MissingError for a damaged file.
std::optional<CalibrationChoice> read_calibration_option(const Console& console,
                                                         const Arguments& arguments);

}  // namespace epwise::cli
