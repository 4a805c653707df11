#pragma once

#include <functional>

#include "session/options/arguments.h"
#include "ui/console.h"
#include "ui/exit_code.h"
#include "ui/findings/lint_report.h"

namespace epwise::cli {

/// What a gate reports to a caller in addition to its output.
struct GateWatch {
  std::function<void(const report::LintedFile&)> each = {};    // in the order of their paths
  std::function<void(const report::LintReport&)> judged = {};  // with the budgets, without files
};

/// `epwise gate`: lint with budgets, a choice of files and a receipt. The report goes to the
/// console in the formats that are asked for. Throws os::UsageError and os::MissingError.
ExitCode gate(Console& console, const Arguments& given, const GateWatch& watch);

}  // namespace epwise::cli
