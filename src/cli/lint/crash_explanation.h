#pragma once

#include "cli/arguments.h"
#include "cli/exit_code.h"
#include "cli/session.h"
#include "cli/settings/settings.h"

namespace epwise::cli {

/// `epwise explain --from-log FILE [RECIPE [-- WORD...]]`: the rules behind the errors of a log;
/// with a recipe, what in it broke them. Clean when a rule knows the cause, findings when none does
/// or the log holds no error.
ExitCode explain_log(Session& session, const Arguments& arguments, const std::string& path);

}  // namespace epwise::cli
