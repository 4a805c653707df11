#pragma once

#include "session/options/arguments.h"
#include "ui/console.h"
#include "ui/exit_code.h"

namespace epwise::cli {

/// `epwise calibrate [recipe]`: opens a backend, measures the plan, writes every finished point to
/// the file immediately, fits, and reports the results. One process per GPU; only rank 0 prints and
/// writes.
ExitCode run_calibration(Console& console, const Arguments& arguments);

// The actions that do not measure; operands are the words after the action.
ExitCode show_calibration(Console& console, const Arguments& arguments);
ExitCode diff_calibrations(Console& console, const Arguments& arguments);
ExitCode merge_calibrations(Console& console, const Arguments& arguments);
ExitCode check_calibration(Console& console, const Arguments& arguments);
ExitCode import_calibration(Console& console, const Arguments& arguments);
ExitCode fit_steps(Console& console, const Arguments& arguments);

}  // namespace epwise::cli
