#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/exit_code.h"
#include "cli/gate/budgets.h"
#include "cli/gate/choice.h"
#include "cli/gate/receipt.h"
#include "cli/gate/witness_files.h"
#include "cli/session.h"
#include "report/lint/lint_report.h"

namespace epwise::cli {

/// What a gate says beyond the findings of its files: budgets, a baseline that has to shrink,
/// recipes that are none any more, and the receipt.
class Verdict {
 public:
  /// Throws world::UsageError for a receipt with --rules.
  Verdict(Session& session,
          const Arguments& arguments,
          const BudgetLimits& limits,
          const Choice& choice);

  bool wants_receipt() const { return receipt_.has_value(); }

  void take(const report::LintedFile& file);

  /// `inner`: with the files as they were linted; `witness`: what was asked of these.
  ExitCode judge(Session& inner, const WitnessFiles& witness, report::LintReport& report);

 private:
  Session& session_;
  const Arguments& arguments_;
  const BudgetLimits& limits_;
  const Choice& choice_;
  std::optional<Setting> receipt_;
  std::vector<std::string> recipes_;
  Receipt slip_;
};

}  // namespace epwise::cli
