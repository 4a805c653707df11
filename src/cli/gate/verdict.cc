#include "cli/gate/verdict.h"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "report/lint/tally.h"
#include "report/place.h"

namespace epwise::cli {

Verdict::Verdict(Session& session,
                 const Arguments& arguments,
                 const BudgetLimits& limits,
                 const Choice& choice)
    : session_(session),
      arguments_(arguments),
      limits_(limits),
      choice_(choice),
      receipt_(arguments.one("--receipt")) {
  if (receipt_ && arguments.one("--rules")) {
    throw world::UsageError("a receipt speaks of the rules that are built in: leave out --rules");
  }
}

void Verdict::take(const report::LintedFile& file) {
  const std::string path = report::file_path(file);
  if (file.recipe->readable && (recipes_.empty() || recipes_.back() != path)) {
    recipes_.push_back(path);
  }
  if (receipt_) {
    slip_.add(file);
  }
}

ExitCode Verdict::judge(Session& inner, const WitnessFiles& witness, report::LintReport& report) {
  ExitCode code = ExitCode::clean;
  const auto object = [&](const std::string& sentence) {
    session_.err << "epwise: " << sentence << '\n';
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
    object("the baseline has to shrink: it holds what is settled");
  }
  for (const std::string& path : choice_.lost_recipes(report.skipped)) {
    object(fmt::format("{} was a recipe at {}, and is none any more", path, choice_.revision()));
  }
  if (receipt_) {
    report.exit_code = to_int(worst(ExitCode{static_cast<std::uint8_t>(report.exit_code)}, code));
    slip_.add(witness, report.skipped);
    session_.files.write_atomically(receipt_->value, slip_.text(report));
  }
  return code;
}

}  // namespace epwise::cli
