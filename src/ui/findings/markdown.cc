#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "ui/findings/lint_report.h"
#include "ui/findings/ranking.h"
#include "ui/findings/rule_help.h"
#include "ui/findings/writer.h"
#include "ui/place.h"

namespace epwise::report {
namespace {

// if there are more files, only those that do not start are listed
constexpr std::size_t kAllFiles = 20;
// GitHub drops step summaries larger than 1 MiB.
constexpr std::size_t kFilesBytes = 300000;
constexpr std::size_t kFindingsBytes = 600000;

/// A row of the table of findings.
std::string table_row(const LintReport& report,
                      const LintedFile& file,
                      const lint::Finding& finding) {
  const Place place = place_of(file, finding.primary.mark);
  std::string where = markdown(repository_path(report.checkout, place.path));
  if (place.positioned) {
    where += fmt::format(":{}", place.start.line);
  }
  return fmt::format("| {} | `{}` | {} | {} |\n",
                     lint::to_string(finding.severity),
                     finding.rule->id,
                     where,
                     markdown(finding.message));
}

/// Tables for a pull request and for a job's step summary: the verdict of every file and the
/// findings, not subject to the annotation limits of `github`.
class Markdown : public Writing {
 public:
  using Writing::Writing;

  void put(const LintedFile& file) override {
    add_verdict(file);
    for (const lint::Finding* finding : shown(file)) {
      findings_.add(rank(file, *finding), count_++, table_row(report(), file, *finding));
    }
  }

  void finish(const Out& out) override {
    out(fmt::format("### epwise: {}, {}, {} in {}\n",
                    counted(sum().errors, "error"),
                    counted(sum().warnings, "warning"),
                    counted(sum().notes, "note"),
                    counted(sum().files, sum().unit())));
    for (const std::string& failure : failures()) {
      out(fmt::format("\n**not checked:** {}\n", markdown(failure)));
    }
    verdict_table(out);
    findings_table(out);
    for (const Budget& budget : report().budgets) {
      const std::string text = budget_text(budget);
      out(fmt::format("\n{}{}\n",
                      budget.state == Budget::State::broken ? "**budget broken:** " : "",
                      markdown(text)));
    }
    if (sum().accepted > 0) {
      out(fmt::format("\n{} accepted by comments or the baseline\n",
                      counted(sum().accepted, "finding")));
    }
    if (sum().open > 0) {
      std::vector<std::string> names;
      for (const Need& need : needs(sum())) {
        names.push_back(fmt::format("{} ({})", need.name, need.rules));
      }
      out(fmt::format(
          "\n{} skipped, unknown: {}\n", counted(sum().open, "check"), markdown(listed(names))));
      for (const std::string& sentence : unknown_classes(sum())) {
        out(fmt::format("\n{}\n", markdown(sentence)));
      }
    }
  }

 private:
  void add_verdict(const LintedFile& file) {
    const bool starts = is_readable(file) && file.result.launch.verdict == lint::Verdict::starts;
    const bool among_few = sum().files <= static_cast<int>(kAllFiles);
    if (starts && !among_few) {
      return;
    }
    const std::string row = fmt::format("| {} | {} | {} |\n",
                                        markdown(file.path),
                                        markdown(verdict_text(file)),
                                        markdown(checked_against(file)));
    few_ += among_few ? row : "";
    if (!starts && not_starting_.size() < kFilesBytes) {
      not_starting_ += row;
    } else if (!starts) {
      ++not_listed_;
    }
  }

  /// With many files, those that start get no row each.
  void verdict_table(const Out& out) const {
    const bool all = sum().files <= static_cast<int>(kAllFiles);
    const std::string& rows = all ? few_ : not_starting_;
    if (!rows.empty()) {
      out("\n| file | launch | checked against |\n| --- | --- | --- |\n");
      out(rows);
    }
    if (not_listed_ > 0) {
      out(fmt::format("\nand {} more\n", not_listed_));
    }
    if (!all) {
      out(fmt::format("\n{} start\n", counted(sum().starts, sum().unit())));
    }
  }

  void findings_table(const Out& out) {
    if (count_ > 0) {
      out("\n| severity | rule | place | message |\n| --- | --- | --- | --- |\n");
    }
    const std::size_t left = count_ - findings_.kept();
    for (const Ranking::Entry& row : findings_.take()) {
      out(row.text);
    }
    if (left > 0) {
      out(fmt::format("\nand {} more\n", left));
    }
  }

  Ranking findings_{static_cast<std::size_t>(-1), kFindingsBytes};
  std::size_t count_ = 0;
  std::string few_;
  std::string not_starting_;
  int not_listed_ = 0;
};

}  // namespace

std::unique_ptr<Writing> start_markdown(const LintReport& report, const Style& style) {
  return std::make_unique<Markdown>(report, style);
}

}  // namespace epwise::report
