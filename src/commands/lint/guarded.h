#pragma once

#include "commands/lint/linting.h"

namespace epwise::cli {

/// `linter.run(task)`, but a crash in it ends nothing but this task: its outcome then says so as
/// `internal` (base/os/crash_guard.h).
LintOutcome run_guarded(Linter& linter, const LintTask& task);

}  // namespace epwise::cli
