#pragma once

#include "session/options/arguments.h"
#include "ui/console.h"
#include "ui/exit_code.h"

/// The actions of `epwise calibrate` that do not measure; operands are the words after the action.

namespace epwise::cli {

ExitCode show_calibration(Console& console, const Arguments& arguments);
ExitCode diff_calibrations(Console& console, const Arguments& arguments);
ExitCode merge_calibrations(Console& console, const Arguments& arguments);
ExitCode check_calibration(Console& console, const Arguments& arguments);
ExitCode import_calibration(Console& console, const Arguments& arguments);
ExitCode fit_steps(Console& console, const Arguments& arguments);

}  // namespace epwise::cli
