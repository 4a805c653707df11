#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/files/git.h"
#include "cli/session.h"
#include "report/lint/lint_report.h"

namespace epwise::cli {

/// --max-exposed-comm, --min-headroom, --max-regression, --against and --input.
std::vector<Option> budget_options();

/// Limits on what is predicted.
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

/// Throws world::UsageError for a text that is no share or size, and for --max-regression without
/// --against.
BudgetLimits budget_limits(const Arguments& arguments);

/// One entry a file and limit. A budget is broken when the whole interval of the prediction lies
/// beyond it, kept when the whole interval lies within, and undecided otherwise or where nothing
/// can be predicted.
std::vector<report::Budget> check_budgets(Session& session,
                                          const Arguments& arguments,
                                          const BudgetLimits& limits,
                                          const std::vector<std::string>& paths);

}  // namespace epwise::cli
