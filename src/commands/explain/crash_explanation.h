#pragma once

#include <memory>
#include <optional>
#include <string>

#include "commands/explain/report.h"
#include "lint/knowledge.h"
#include "session/options/arguments.h"
#include "session/workspace.h"
#include "ui/console.h"
#include "ui/exit_code.h"

namespace epwise::cli {

/// The explanation of a log, with the objects that the report refers to.
struct CrashAnswer {
  std::shared_ptr<const lint::Knowledge> knowledge;
  std::optional<Analysis> analysis;  // of the recipe, if one was given
  report::CrashReport report;
  bool known = false;  // a rule or a known trouble matches the first error
};

/// The rules that explain the errors of a log; with a recipe, the values that violate them. `name`
/// is the log's name in the report. The workspace is one of `given_for_log`.
CrashAnswer answer_of(const std::string& log,
                      const std::string& name,
                      Workspace& workspace,
                      std::optional<Analysis> recipe);

/// As `given_by`, but all rules count: what the user leaves out may be what a run died of.
session::Given given_for_log(const Arguments& arguments);

/// `epwise explain --from-log FILE [RECIPE [-- WORD...]]`: the rules that explain the errors in a
/// log; with a recipe, the values that violate them. Clean if a rule explains the cause, findings
/// if none does or the log has no error.
ExitCode explain_log(Console& console, const Arguments& arguments, const std::string& path);

}  // namespace epwise::cli
