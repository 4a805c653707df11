#pragma once

#include <functional>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/files/file_selection.h"
#include "cli/session.h"
#include "report/lint/lint_report.h"

namespace epwise::cli {

/// What a command does with a lint run of its own.
struct LintHooks {
  /// Leaves files out of the selection.
  std::function<void(FileSelection&)> narrow = {};
  /// Looks at each document, in the order of their paths, with the checkout; it is not kept.
  std::function<void(report::LintedFile&, const report::Checkout&)> each = {};
  /// Looks at what came out of all, before it is written; the worse of both codes counts.
  std::function<ExitCode(report::LintReport&)> judge = {};
  bool nothing_is_fine = false;    // no file left, or no recipe among them, is no failure
  bool writes = true;              // the report, in the formats that are asked for
  bool reads_baselines = true;     // those that configurations name
  bool quiet_hides_notes = false;  // -q: in text for people, unless notes fail the run
};

/// The run of `epwise lint` with hooks.
ExitCode run_lint_with(Session& session, const Arguments& arguments, const LintHooks& hooks);

/// `epwise lint`: options → selected files → findings → formats → exit code.
ExitCode run_lint(Session& session, const Arguments& arguments);

}  // namespace epwise::cli
