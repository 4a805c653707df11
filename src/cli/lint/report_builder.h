#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/exit_code.h"
#include "cli/lint/linting.h"
#include "cli/session.h"
#include "cli/settings/run_settings.h"
#include "report/lint/lint_report.h"

namespace epwise::cli {

/// Puts what became of the inputs together: the report, the exit code, and the lines on standard
/// error about everything that is no finding.
class ReportBuilder {
 public:
  /// `told`: the format on standard output says itself what could not be read, which rules crashed
  /// and that nothing was checked.
  ReportBuilder(Session& session, const Arguments& arguments, bool told);

  /// What is known before any file is looked at; call once.
  void begin(const std::vector<LintTask>& tasks,
             const std::vector<Threshold>& thresholds,
             report::Checkout checkout,
             const lint::Knowledge& knowledge);

  /// The report as far as it is known.
  const report::LintReport& report() const { return report_; }

  /// No recipe among the inputs is no failure.
  void allow_nothing() { nothing_is_fine_ = true; }

  /// An argument that gave no file: "recipes/x: no such file or folder".
  void add_unreadable(const std::string& sentence);

  /// The outcome of one task; tasks come in the order of their paths. Its files are not kept.
  void add(const LintTask& task, const Threshold& threshold, const LintOutcome& outcome);

  /// Whether any document was linted.
  bool any_file() const { return any_file_; }

  /// The report but for its files; call once. More may be learnt about it afterwards.
  report::LintReport& finish();

 private:
  void say(const std::string& sentence);
  void say_unless_told(const std::string& sentence);
  void say_undecided(const report::LintedFile& file);
  void say_skipped();
  void agree_on(const lint::Selection& selection);

  Session& session_;
  bool told_ = false;
  bool quiet_ = false;
  bool verbose_ = false;
  bool exit_zero_ = false;
  report::LintReport report_;
  ExitCode code_ = ExitCode::clean;
  bool checked_ = false;
  bool nothing_is_fine_ = false;
  bool any_file_ = false;
  bool rules_left_ = true;
  std::set<std::string> usage_;
};

}  // namespace epwise::cli
