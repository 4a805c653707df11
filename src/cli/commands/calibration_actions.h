#pragma once

#include "cli/arguments.h"
#include "cli/exit_code.h"
#include "cli/session.h"

/// The actions of `epwise calibrate` that measure nothing; operands are what stands behind the
/// action.
namespace epwise::cli {

ExitCode show_calibration(Session& session, const Arguments& arguments);
ExitCode diff_calibrations(Session& session, const Arguments& arguments);
ExitCode merge_calibrations(Session& session, const Arguments& arguments);
ExitCode check_calibration(Session& session, const Arguments& arguments);
ExitCode import_calibration(Session& session, const Arguments& arguments);
ExitCode fit_steps(Session& session, const Arguments& arguments);

}  // namespace epwise::cli
