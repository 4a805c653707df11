#include <fmt/format.h>

#include "ui/columns.h"
#include "ui/findings/lint_report.h"
#include "ui/findings/writer.h"
#include "ui/place.h"
#include "ui/style.h"

namespace epwise::report {

namespace {

Role verdict_role(lint::Verdict verdict) {
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

class Concise : public Writing {
 public:
  Concise(const LintReport& report, const Style& style)
      : Writing(report, style),
        paint_(style.colour, style.hyperlinks) {}

  void put(const LintedFile& file) override {
    std::string text;
    for (const lint::Finding* finding : shown(file)) {
      if (!style().verbose && file.fails_from != lint::Severity::note && is_aside(*finding)) {
        continue;
      }
      const Place place = place_of(file, finding->primary.mark);
      text += fmt::format("{}:{}:{}: {}[{}] {}\n",
                          printable(place.path, style().unicode),
                          place.start.line,
                          place.start.column,
                          paint_(role_of(finding->severity), lint::to_string(finding->severity)),
                          finding->rule->id,
                          printable(finding->message, style().unicode));
    }
    if_alone_.clear();
    if (!style().quiet && is_readable(file)) {
      const bool starts = file.result.launch.verdict == lint::Verdict::starts;
      (starts ? if_alone_ : text) += verdict_line(file);
    }
    out_.add(text);
  }

  void finish(const Out& out) override {
    const bool alone = sum().files == 1;
    out_.add(alone ? if_alone_ : "");
    for (const Budget& budget : report().budgets) {
      if (!style().quiet || fails(budget, report().strict)) {
        out_.add(budget_text(budget) + '\n');
      }
    }
    if (!style().quiet && sum().files > 1) {
      out_.add(fmt::format("{}{}\n", counted(sum().files, sum().unit()), verdict_counts(sum())));
    }
    out_.give(out);
  }

 private:
  /// "recipe.yaml: would not start: overlap/expert-ranks (EPO001) at stage comm-overlap"
  std::string verdict_line(const LintedFile& file) const {
    return fmt::format("{}: {}\n",
                       printable(file.path, style().unicode),
                       paint_(verdict_role(file.result.launch.verdict),
                              printable(verdict_text(file), style().unicode)));
  }

  Paint paint_;
  Spool out_;
  std::string if_alone_;  // with several files, those that start are only counted
};

}  // namespace

std::unique_ptr<Writing> start_concise(const LintReport& report, const Style& style) {
  return std::make_unique<Concise>(report, style);
}

}  // namespace epwise::report
