#include "commands/lint/report_builder.h"

#include <algorithm>
#include <ostream>
#include <set>
#include <utility>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/text/count.h"
#include "ui/findings/lint_report.h"
#include "ui/version.h"

namespace epwise::cli {

namespace {

/// What one linted document does to the exit code.
ExitCode exit_code_of_document(const report::LintedFile& file, const Threshold& threshold) {
  if (!file.result.crashed_rules.empty()) {
    return ExitCode::internal;
  }
  const bool neighbour = threshold.strict && !file.result.version_unknown.empty();
  return neighbour || fails(file.result, threshold) ? ExitCode::findings : ExitCode::clean;
}

/// Whether anything was checked: rules ran on a readable text, or the text is so broken that this
/// is the finding.
bool was_checked(const report::LintedFile& file, bool selects_any) {
  const auto is_error = [](const lint::Finding& finding) {
    return finding.severity == lint::Severity::error;
  };
  return (file.recipe->readable && selects_any) ||
         std::ranges::any_of(file.result.findings, is_error);
}

}  // namespace

ReportBuilder::ReportBuilder(Console& console, const Arguments& arguments, bool told)
    : console_(console),
      told_(told),
      quiet_(arguments.flag("--quiet")),
      verbose_(arguments.flag("--verbose")),
      exit_zero_(arguments.flag("--exit-zero")) {
  report_.tool_version = tool_version();
}

void ReportBuilder::add_unreadable(const std::string& sentence, ExitCode code) {
  report_.unreadable.push_back(sentence);
  code_ = worst(code_, code);
  say_unless_told(sentence);
}

void ReportBuilder::begin(const std::vector<LintTask>& tasks,
                          const Checkout& checkout,
                          const lint::Knowledge& knowledge) {
  report_.checkout = checkout;
  report_.knowledge = &knowledge;
  report_.selection = tasks.empty() ? lint::Selection() : tasks.front().settings->selection;
  for (const LintTask& task : tasks) {
    agree_on(task.settings->selection);
    report_.strict = report_.strict || task.settings->threshold.strict;
  }
}

void ReportBuilder::add(const LintTask& task, const LintOutcome& outcome) {
  const Threshold& threshold = task.settings->threshold;
  rules_left_ = rules_left_ && task.settings->selects_any;
  if (!outcome.usage.empty()) {
    code_ = worst(code_, ExitCode::usage);
    if (usage_.insert(outcome.usage)
            .second) {  // an invalid option gives the same message for every file
      say(outcome.usage);
    }
  }
  if (!outcome.unreadable.empty()) {
    add_unreadable(outcome.unreadable);
  }
  if (!outcome.internal.empty()) {
    add_unreadable("internal error in " + outcome.internal + "; please report it with the file");
    code_ = worst(code_, ExitCode::internal);
  }
  if (outcome.skipped) {
    report_.skipped.push_back(task.source.path);
  }
  for (const report::LintedFile& file : outcome.files) {
    code_ = worst(code_, exit_code_of_document(file, threshold));
    checked_ = checked_ || was_checked(file, task.settings->selects_any);
    if (threshold.strict && !file.result.open.empty()) {
      say_undecided(file);
    }
    for (const std::string& crash : file.result.crashed_rules) {
      say_unless_told(fmt::format("internal error in {}: {}", file.path, crash));
    }
    any_file_ = true;
  }
}

report::LintReport& ReportBuilder::finish() {
  say_skipped();
  if (!rules_left_) {
    say("--select and --ignore leave no rules");
  }
  const bool nothing = !any_file_ && code_ == ExitCode::clean;
  if (!checked_ && !(nothing_is_fine_ && nothing)) {
    code_ = worst(code_, ExitCode::nothing_checked);
    say_unless_told("nothing checked");
  }
  if (code_ == ExitCode::findings && exit_zero_) {
    code_ = ExitCode::clean;
  }
  report_.exit_code = to_int(code_);
  report_.newer_releases = console_.newer_releases();
  return report_;
}

void ReportBuilder::say(const std::string& sentence) {
  console_.err << "epwise: " << sentence << '\n';
}

void ReportBuilder::say_unless_told(const std::string& sentence) {
  if (!told_) {
    say(sentence);
  }
}

void ReportBuilder::say_undecided(const report::LintedFile& file) {
  std::set<std::string> needs;
  for (const lint::Open& open : file.result.open) {
    needs.insert(open.needs.begin(), open.needs.end());
  }
  const std::size_t count = file.result.open.size();
  say_unless_told(fmt::format("{}: {} undecided without {}",
                              file.path,
                              text::counted(count, "rule"),
                              fmt::join(needs, ", ")));
}

void ReportBuilder::say_skipped() {
  if (report_.skipped.empty() || quiet_) {
    return;
  }
  constexpr std::size_t kNamed = 3;
  const bool few = report_.skipped.size() <= kNamed;
  const bool one = report_.skipped.size() == 1;
  say(fmt::format(
      "skipped {} file{} that {} no recipe{}{}",
      report_.skipped.size(),
      one ? "" : "s",
      one ? "is" : "are",
      one ? "" : "s",
      few ? ": " + report::listed(report_.skipped) : (verbose_ ? ":" : " (-v names them)")));
  if (verbose_ && !few) {
    for (const std::string& path : report_.skipped) {
      console_.err << "  " << path << '\n';
    }
  }
}

/// Files under configurations with different selections have no common selection: the report then
/// covers all rules.
void ReportBuilder::agree_on(const lint::Selection& selection) {
  if (report_.selection.select != selection.select ||
      report_.selection.ignore != selection.ignore) {
    report_.selection = {};
  }
}

}  // namespace epwise::cli
