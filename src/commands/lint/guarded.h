#pragma once

#include "commands/lint/linting.h"

namespace epwise::cli {

/// `linter.run(task)`, but a crash in it ends only this task: its outcome then reports it as
/// `internal` (base/os/crash_guard.h).
LintOutcome run_guarded(Linter& linter, const LintTask& task);

}  // namespace epwise::cli
