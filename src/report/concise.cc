#include <fmt/format.h>

#include "report/columns.h"
#include "report/formats.h"
#include "report/place.h"
#include "report/style.h"
#include "report/tally.h"
#include "report/verdict.h"

namespace epwise::report {

namespace {

Role role_of(lint::Verdict verdict) {
  switch (verdict) {
    case lint::Verdict::starts:
      return Role::good;
    case lint::Verdict::rejects:
      return Role::error;
    case lint::Verdict::undecided:
      break;
  }
  return Role::dim;
}

/// "recipe.yaml: would not start: overlap/expert-ranks (EPO001) at stage comm-overlap". Of several
/// files those that start are only counted.
void add_verdict(const LintedFile& file, bool alone, const Style& style, std::string& out) {
  const Paint paint(style.colour, style.hyperlinks);
  const auto verdict = file.result.launch.verdict;
  if (is_readable(file) && (alone || verdict != lint::Verdict::starts)) {
    out += fmt::format("{}: {}\n",
                       printable(file.path, style.unicode),
                       paint(role_of(verdict), printable(verdict_text(file), style.unicode)));
  }
}

}  // namespace

std::string write_concise(const LintReport& report, const Style& style) {
  const Paint paint(style.colour, style.hyperlinks);
  std::string out;
  for (const LintedFile& file : report.files) {
    for (const lint::Finding* finding : shown(file)) {
      const Place place = place_of(file, finding->primary.mark);
      out += fmt::format("{}:{}:{}: {}[{}] {}\n",
                         printable(place.path, style.unicode),
                         place.start.line,
                         place.start.column,
                         paint(role_of(finding->severity), lint::to_string(finding->severity)),
                         finding->rule->id,
                         printable(finding->message, style.unicode));
    }
    if (!style.quiet) {
      add_verdict(file, report.files.size() == 1, style, out);
    }
  }
  for (const Budget& budget : report.budgets) {
    if (!style.quiet || budget.state == Budget::State::broken) {
      out += budget_text(budget) + '\n';
    }
  }
  if (!style.quiet && report.files.size() > 1) {
    const Tally sum = tally(report);
    out += fmt::format("{}{}\n", counted(sum.files, "file"), verdict_counts(sum));
  }
  return out;
}

}  // namespace epwise::report
