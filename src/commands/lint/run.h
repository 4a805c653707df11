#pragma once

#include <functional>

#include "session/files/file_selection.h"
#include "session/options/arguments.h"
#include "session/workspace.h"
#include "ui/command.h"
#include "ui/console.h"
#include "ui/findings/lint_report.h"

namespace epwise::cli {

/// Hooks for a command that runs lint.
struct LintHooks {
  /// Removes files from the selection.
  std::function<void(FileSelection&)> narrow = {};
  /// Called for each document, in path order, with the checkout and the settings of its file; the
  /// document is not kept.
  std::function<void(report::LintedFile&, const Checkout&, const session::InputSettings&)> each =
      {};
  /// Called with the overall result before it is written; the worse exit code wins.
  std::function<ExitCode(report::LintReport&)> judge = {};
  bool nothing_is_fine = false;  // no file left, or no recipe among them, is not a failure
  bool writes = true;            // the report, in the requested formats
  bool reads_baselines = true;   // those that configurations name
};

/// The run of `epwise lint` with hooks.
ExitCode run_lint_with(Console& console, const Arguments& arguments, const LintHooks& hooks);

/// `epwise lint`: options → selected files → findings → formats → exit code.
ExitCode run_lint(Console& console, const Arguments& arguments);

}  // namespace epwise::cli
