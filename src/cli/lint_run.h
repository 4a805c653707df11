#pragma once

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/session.h"

namespace epwise::cli {

/// `epwise lint`: options → selected files → findings → formats → exit code.
ExitCode run_lint(Session& session, const Arguments& arguments);

}  // namespace epwise::cli
