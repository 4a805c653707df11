#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/gate/budgets.h"
#include "commands/gate/choice.h"
#include "commands/gate/receipt.h"
#include "session/options/arguments.h"
#include "ui/console.h"
#include "ui/exit_code.h"
#include "ui/findings/lint_report.h"

namespace epwise::cli {

/// Gate results beyond the findings of its files: budgets, a baseline that must shrink, recipes
/// that no longer are recipes, and the receipt.
class Verdict {
 public:
  /// Throws os::UsageError for a receipt with --rules.
  Verdict(Console& console,
          const Arguments& arguments,
          const BudgetLimits& limits,
          const Choice& choice);

  bool wants_receipt() const { return receipt_.has_value(); }

  void take(const report::LintedFile& file);

  /// `inner` contains the files as they were linted; `witness` records accesses to them.
  ExitCode judge(Console& inner, const WitnessFiles& witness, report::LintReport& report);

 private:
  Console& console_;
  const Arguments& arguments_;
  const BudgetLimits& limits_;
  const Choice& choice_;
  std::optional<Setting> receipt_;
  std::vector<std::string> recipes_;
  Receipt slip_;
};

}  // namespace epwise::cli
