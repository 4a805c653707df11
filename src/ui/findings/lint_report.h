#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/count.h"
#include "lint/engine.h"
#include "lint/facts/target.h"
#include "recipe/recipe.h"
#include "session/baseline.h"
#include "session/files/checkout.h"
#include "session/host.h"

namespace epwise::report {

/// What --fix changed, or would change, in a document.
struct Repaired {
  struct Change {
    std::string field;
    std::optional<std::string> before;  // nullopt: it was not set
    std::optional<std::string> after;   // nullopt: it is removed
    std::string rule;                   // id of the finding that it resolves
    lint::Tier tier = lint::Tier::neutral;
  };

  /// A remaining error.
  struct Left {
    const lint::Rule* rule = nullptr;
    // the lowest tier of a fix that resolves it; nullopt: no fix does
    std::optional<lint::Tier> tier;
  };

  bool made = true;      // false: only shown by --diff
  bool bounded = false;  // fewer changes may suffice
  std::vector<Change> changes;
  std::vector<Left> left;
};

/// One linted document.
struct LintedFile {
  std::string path;  // relative to the working directory, "a.yaml#2" for a later document
  std::shared_ptr<const recipe::Recipe> recipe;
  lint::Result result;
  std::string target;        // "h100 x 16, te 2.14.0, torch 2.9.1 (--hw, --gpus, --stack)"
  std::string machine = {};  // "h100 x 16"
  std::optional<Repaired> repaired = {};
  /// The lowest severity that affects the exit code; nullopt: none.
  std::optional<lint::Severity> fails_from = lint::Severity::error;
  std::optional<lint::Effect> fails_by = {};  // warnings with this effect affect it too
};

using session::Checkout;

/// A limit on a predicted number, and the result.
struct Budget {
  enum class State : std::uint8_t { kept, broken, undecided };
  State state = State::kept;
  std::string path;    // of the recipe
  std::string option;  // "--max-exposed-comm"
  std::string limit;   // "8 %"
  std::string text;    // "exposed communication 9.1 % to 14.2 % of the step"
};

using session::BaselineCount;

/// The data of `epwise lint`, independent of the format.
struct LintReport {
  std::string tool_version;
  std::vector<LintedFile> files;  // by path
  const lint::Knowledge* knowledge = nullptr;
  lint::Selection selection;
  std::vector<std::string> unreadable;  // messages, one per input
  std::vector<std::string> skipped;     // paths of files that were found but are not recipes
  std::vector<session::NewerRelease> newer_releases;  // of the stacks
  std::vector<Budget> budgets;                        // of `epwise gate`
  std::optional<BaselineCount> baseline = {};
  int exit_code = 0;
  bool strict = false;
  Checkout checkout;
};

/// The totals of a report.
struct Tally {
  int files = 0;
  int files_with_findings = 0;
  int errors = 0;
  int warnings = 0;
  int notes = 0;
  int open = 0;   // undecided rules, over all files
  int rules = 0;  // checked on a file, at most
  int starts = 0;
  int rejects = 0;
  int undecided = 0;
  int unreadable = 0;     // files that are not recipes
  int crashed_rules = 0;  // our bugs
  int accepted = 0;       // findings removed by a comment or a baseline
  bool several = false;   // a file contains several recipes: they are what `files` counts

  std::map<std::string, int> waiting = {};  // undecided rules by the name that they need
  // undecided rules by the unknown class of a model whose defaults they need
  std::map<std::string, int> classes = {};
  std::vector<std::string> crashes = {};  // a sentence each

  int findings() const { return errors + warnings + notes; }

  /// What `files` counts: "file", or "recipe" where one file contains several.
  std::string_view unit() const { return several ? "recipe" : "file"; }

  void add(const LintedFile& file);
};

/// ", 3 start, 1 would not start, 2 undecided": the verdicts, after the number of files.
std::string verdict_counts(const Tally& sum);

/// The findings to show: all except consequences of others.
std::vector<const lint::Finding*> shown(const LintedFile& file);
std::vector<const lint::Finding*> shown(const lint::Result& found);

/// Whether text output leaves a finding to --verbose: a note that hardly anybody acts on.
bool is_aside(const lint::Finding& finding);

/// Whether a finding affects the exit code.
bool counts(const LintedFile& file, const lint::Finding& finding);

/// What happens to the run and when: "will not start", "hangs at the first log", "loses speed".
std::string consequence_text(lint::Effect effect, lint::Moment moment);

/// The importance of a finding, 0 to 100: the one that stops the launch first, then by severity and
/// confidence.
int rank(const LintedFile& file, const lint::Finding& finding);

/// A name needed by undecided rules.
struct Need {
  std::string name;    // "stack.te"
  int rules = 0;       // undecided rules that need it
  std::string option;  // "--stack te=VERSION"; empty if no option provides it
};

/// Names by the number of undecided rules that need them, most first.
std::vector<Need> needs(const Tally& sum);

/// "503 of them because `x.Provider` is not known: …", a sentence for each unknown class of a model.
std::vector<std::string> unknown_classes(const Tally& sum);

/// The options that provide these names: "--stack te=VERSION,torch=VERSION --gpus N".
std::string options_for(const std::vector<Need>& needs);

/// "a.yaml: exposed communication 9 % to 14 % of the step: beyond --max-exposed-comm 8 %"
std::string budget_text(const Budget& budget);

/// Whether a budget causes exit code 1: broken or, with --strict, undecided.
bool fails(const Budget& budget, bool strict);

/// Why the exit code is not 0 although no finding causes it, one message each: failed budgets and,
/// with --strict, undecided checks.
std::vector<std::string> shortfalls(const LintReport& report, const Tally& tally);

using text::counted;  // "1 error", "3 errors"
using text::listed;   // "a, b and c"

/// "2 errors that no tier fixes: PAR006 and PAR010"; empty if there is none.
std::string unsettled_text(const Repaired& repaired);

/// The launch verdict of this recipe, as the end of a sentence about the file:
///   "starts"
///   "would not start: overlap/expert-ranks (EPO001) at stage comm-overlap"
///   "launch undecided, unknown: stack.te and gpus"
///   "not checked: it contains no readable recipe"
std::string verdict_text(const LintedFile& file);
std::string verdict_text(const lint::Result& result);

/// Why a recipe gets no prediction: the verdict_text of one that would not start or fails later,
/// "has errors: PAR012" for an undecided one with errors; empty if no error was found.
std::string stopped_text(const lint::Result& result);

/// What stops a recipe although it does not count for the user, by a comment, a baseline, a severity
/// or a selection: "would not start: batch/indivisible (PAR019), accepted by run.yaml:37", or an
/// accepted error after the start-up checks; empty for any other recipe.
std::string accepted_stop(const lint::Result& result);

/// "0.6.2"; for a version without its own tables "0.5.1 (using the tables of 0.5.0)": the requested
/// version, and the one whose defaults and checks were used.
std::string version_text(const std::string& tables, const std::string& asked_for);

/// "Megatron-Bridge 0.6.2, h100 x 16, te 2.14.0 (--hw, --gpus, --stack)"; empty for a file that
/// could not be read
std::string checked_against(const LintedFile& file);
std::string checked_against(const lint::Result& result, const std::string& target);

}  // namespace epwise::report
