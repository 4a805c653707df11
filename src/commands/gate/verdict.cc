#include "commands/gate/verdict.h"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "ui/findings/lint_report.h"
#include "ui/place.h"

namespace epwise::cli {

Verdict::Verdict(Console& console,
                 const Arguments& arguments,
                 const BudgetLimits& limits,
                 const Choice& choice)
    : console_(console),
      arguments_(arguments),
      limits_(limits),
      choice_(choice),
      receipt_(arguments.one("--receipt")) {
  if (receipt_ && arguments.one("--rules")) {
    throw os::UsageError("a receipt covers only the built-in rules: remove --rules");
  }
}

void Verdict::take(const report::LintedFile& file) {
  if (file.recipe->readable) {
    recipes_.push_back(file.recipe->path);
  }
  if (receipt_) {
    slip_.add(file);
  }
}

ExitCode Verdict::judge(Console& inner, const WitnessFiles& witness, report::LintReport& report) {
  ExitCode code = ExitCode::clean;
  const auto object = [&](const std::string& sentence) {
    console_.err << "epwise: " << sentence << '\n';
    code = worst(code, ExitCode::findings);
  };
  if (limits_.any()) {
    report.budgets = check_budgets(inner, arguments_, limits_, recipes_);
    const bool failed = std::ranges::any_of(report.budgets, [&](const report::Budget& budget) {
      return report::fails(budget, report.strict);
    });
    code = failed ? ExitCode::findings : ExitCode::clean;
  }
  if (report.baseline && report.baseline->settled > 0) {
    object("the baseline must shrink: it contains resolved findings");
  }
  for (const std::string& path : choice_.lost_recipes(report.skipped)) {
    object(fmt::format("{} was a recipe at {} and no longer is", path, choice_.revision()));
  }
  if (receipt_) {
    report.exit_code = to_int(worst(ExitCode{static_cast<std::uint8_t>(report.exit_code)}, code));
    slip_.add(console_.files, arguments_.operands);
    slip_.add(witness, report.skipped);
    console_.files.write_atomically(receipt_->value, slip_.text(report));
  }
  return code;
}

}  // namespace epwise::cli
