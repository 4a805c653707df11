#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/gate/git.h"
#include "session/options/arguments.h"
#include "ui/command.h"
#include "ui/console.h"
#include "ui/findings/lint_report.h"

namespace epwise::cli {

/// --max-exposed-comm, --min-headroom, --max-regression, --against and --input.
std::vector<Option> budget_options();

/// Limits on predicted values.
struct BudgetLimits {
  std::optional<double> exposed;     // share of the step
  std::optional<double> headroom;    // bytes
  std::optional<double> regression;  // share of the step time
  std::string exposed_text;
  std::string headroom_text;
  std::string regression_text;
  std::string against;  // a revision

  bool any() const { return exposed || headroom || regression; }
};

/// Throws os::UsageError for a text that is not a share or size, and for --max-regression without
/// --against.
BudgetLimits budget_limits(const Arguments& arguments);

/// One entry per file and limit. A budget is broken if the whole interval of the prediction is
/// beyond it, kept if the whole interval is within it, and undecided otherwise or if nothing can be
/// predicted.
std::vector<report::Budget> check_budgets(Console& console,
                                          const Arguments& arguments,
                                          const BudgetLimits& limits,
                                          const std::vector<std::string>& paths);

}  // namespace epwise::cli
