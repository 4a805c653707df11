#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/lint/lint_report.h"
#include "text/count.h"

namespace epwise::report {

/// What a report comes to, in numbers.
struct Tally {
  int files = 0;
  int files_with_findings = 0;
  int errors = 0;
  int warnings = 0;
  int notes = 0;
  int open = 0;   // rules that could not be decided, over all files
  int rules = 0;  // checked on a file, at most
  int starts = 0;
  int rejects = 0;
  int undecided = 0;
  int unreadable = 0;     // files that hold no recipe
  int crashed_rules = 0;  // our bugs
  int accepted = 0;       // findings that a comment or a baseline takes out

  std::map<std::string, int> waiting = {};  // open rules by the name that they wait for
  std::vector<std::string> crashes = {};    // a sentence each

  int findings() const { return errors + warnings + notes; }

  void add(const LintedFile& file);
};

/// ", 3 start, 1 would not start, 2 undecided": what becomes of the files, behind their number.
std::string verdict_counts(const Tally& sum);

/// The findings that are shown: all but those that another one explains.
std::vector<const lint::Finding*> shown(const LintedFile& file);
std::vector<const lint::Finding*> shown(const lint::Result& found);

/// How much a finding matters, 0 to 100: what stops the launch first, then by severity and by how
/// sure the rule is.
int rank(const LintedFile& file, const lint::Finding& finding);

/// A name that open rules wait for.
struct Need {
  std::string name;    // "stack.te"
  int rules = 0;       // open rules that name it
  std::string option;  // "--stack te=VERSION"; empty when no option settles it
};

/// Names by how many open rules wait for them, most first.
std::vector<Need> needs(const Tally& sum);

/// The options that settle those names: "--stack te=VERSION,torch=VERSION --gpus N".
std::string options_for(const std::vector<Need>& needs);

/// "a.yaml: exposed communication 9 % to 14 % of the step: beyond --max-exposed-comm 8 %"
std::string budget_text(const Budget& budget);

/// Whether a budget ends in exit code 1: broken or, under --strict, undecided.
bool fails(const Budget& budget, bool strict);

/// Why the exit code is not 0 though no finding says so, a sentence each: budgets that fail and,
/// under --strict, checks that are open.
std::vector<std::string> shortfalls(const LintReport& report, const Tally& tally);

using text::counted;  // "1 error", "3 errors"

/// "a", "a and b", "a, b and c"
std::string listed(const std::vector<std::string>& items);

/// "2 errors that no fix settles: PAR006 and PAR010"; empty when there is none.
std::string unsettled_text(const Repaired& repaired);

}  // namespace epwise::report
