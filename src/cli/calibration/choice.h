#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/file/calibration.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/session.h"
#include "cost/table.h"
#include "sim/prediction/measured_constants.h"

namespace epwise::cli {

/// --calibration FILE, of the commands that predict and of lint.
Option calibration_option();

/// The file that --calibration names, read.
class CalibrationChoice {
 public:
  CalibrationChoice(std::string path, calibrate::Calibration calibration)
      : path_(std::move(path)),
        calibration_(std::move(calibration)) {}

  /// Constants of the step model that it tells for `hw`.
  std::vector<sim::MeasuredConstant> measured(const cost::Table& laws, std::string_view hw) const;

  /// What the report says of it before a prediction is made: file, device, and why it may not fit
  /// the machine of today.
  sim::CalibrationEffect effect(const Session& session, const std::string& hw) const;

  /// Where the file no longer fits: other GPU, driver, NCCL, DeepEP, number of GPUs.
  std::vector<std::string> staleness(const Session& session, const std::string& hw) const;

 private:
  std::string path_;
  calibrate::Calibration calibration_;
};

/// Nullopt when the option is not there. Throws world::MissingError for a damaged file.
std::optional<CalibrationChoice> read_calibration_option(const Session& session,
                                                         const Arguments& arguments);

}  // namespace epwise::cli
