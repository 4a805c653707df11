#pragma once

#include "session/options/arguments.h"
#include "ui/console.h"
#include "ui/exit_code.h"

namespace epwise::cli {

/// `epwise calibrate [recipe]`: opens a backend, measures the plan, writes every finished point to
/// the file immediately, fits, and reports the results. One process per GPU; only rank 0 prints and
/// writes.
ExitCode run_calibration(Console& console, const Arguments& arguments);

}  // namespace epwise::cli
