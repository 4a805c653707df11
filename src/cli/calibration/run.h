#pragma once

#include "cli/arguments.h"
#include "cli/exit_code.h"
#include "cli/session.h"

namespace epwise::cli {

/// `epwise calibrate [recipe]`: opens a backend, measures the plan, keeps every finished point in
/// the file at once, fits, and says what was learnt. One process a GPU; rank 0 speaks and writes.
ExitCode run_calibration(Session& session, const Arguments& arguments);

}  // namespace epwise::cli
