#pragma once

#include <set>
#include <string>
#include <vector>

#include "commands/lint/linting.h"
#include "session/options/arguments.h"
#include "session/settings/run_settings.h"
#include "ui/console.h"
#include "ui/exit_code.h"
#include "ui/findings/lint_report.h"

namespace epwise::cli {

/// Combines the outcomes of the inputs: the report, the exit code, and the messages on standard
/// error about everything that is not a finding.
class ReportBuilder {
 public:
  /// `told`: the format on standard output itself reports unreadable inputs, crashed rules, and
  /// that nothing was checked.
  ReportBuilder(Console& console, const Arguments& arguments, bool told);

  /// Facts known before any file is linted; call once.
  void begin(const std::vector<LintTask>& tasks,
             const Checkout& checkout,
             const lint::Knowledge& knowledge);

  /// The report so far.
  const report::LintReport& report() const { return report_; }

  /// Having no recipe among the inputs is not a failure.
  void allow_nothing() { nothing_is_fine_ = true; }

  /// An argument that gave no file, "recipes/x: no such file or folder", or a file that gave no
  /// findings.
  void add_unreadable(const std::string& sentence, ExitCode code = ExitCode::unreadable);

  /// The outcome of one task; tasks arrive in path order. Its files are not kept.
  void add(const LintTask& task, const LintOutcome& outcome);

  /// Whether any document was linted.
  bool any_file() const { return any_file_; }

  /// The report without its files; call once. More may be added to it afterwards.
  report::LintReport& finish();

 private:
  void say(const std::string& sentence);
  void say_unless_told(const std::string& sentence);
  void say_undecided(const report::LintedFile& file);
  void say_skipped();
  void agree_on(const lint::Selection& selection);

  Console& console_;
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
