#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fix/plan.h"
#include "session/workspace.h"
#include "ui/console.h"
#include "ui/findings/lint_report.h"

namespace epwise::cli {

class Pricing;

/// The request of --fix and --diff.
struct FixOrder {
  lint::Tier highest = lint::Tier::neutral;
  bool show_only = false;
};

/// The fixed text of one input.
struct FixedText {
  Draft before;
  Draft after;
  std::vector<fix::Repair> repairs;
  bool bounded = false;                // a smaller set of changes may exist
  bool of_words = false;               // a launch as shell words
  std::map<lint::Tier, int> left;      // errors and warnings that only a higher tier fixes
  std::vector<std::string> unsettled;  // about errors without a fix, one sentence for each recipe
  int spared_by_comments = 0;          // accepted findings with a fix of the allowed tier
  int spared_by_baseline = 0;
};

/// One input of a run.
struct LintTask {
  Source source;
  bool named = true;  // by the user; else it was found in a folder
  const session::InputSettings* settings = nullptr;
};

/// Settings that a run applies to every input.
struct LintOrder {
  bool shows_fixes = false;      // some format does: they are tried, and those that fail go
  bool written_in_full = false;  // also verify fixes of notes, and other targets
  std::optional<FixOrder> fix;
  const Pricing* pricing = nullptr;  // --price
};

/// The result for one input. If it could not be linted, exactly one of the messages is set.
struct LintOutcome {
  struct Known {
    std::shared_ptr<const Baseline> baseline;
    std::shared_ptr<const recipe::Recipe> recipe;
    std::string target;  // "h100 x 16"
    std::vector<Baseline::Entry> entries;
    std::vector<Baseline::Entry> undecided;
  };

  std::vector<report::LintedFile> files;  // one a document
  std::vector<Known> known;               // what a baseline knows of each
  std::string unreadable;
  std::string usage;     // invalid header or target
  std::string internal;  // an internal error
  bool skipped = false;  // found in a folder, and not a recipe
  std::string unpriced;  // with --price: why there is no price
  // `files` then describe the changed text, unless it is only shown
  std::optional<FixedText> fixed;
};

/// An analysis as reports show it.
report::LintedFile linted_file(Analysis analysis);

/// The same document, whose text is parsed once for reading and for all edits that are tried.
std::shared_ptr<const Document> parsed(const std::shared_ptr<const Document>& document);

/// Whether --base may apply to an input: one of its recipes accepts it, or that is unknown.
bool may_use_base(const LintOutcome& outcome);

/// Throws os::UsageError if --base was given and none of the inputs uses it.
void check_base_is_used(const session::Given& given, bool used);

/// Analyses one input after another. Safe to use from several threads.
class Linter {
 public:
  Linter(Workspace& workspace, const LintOrder& order) : workspace_(workspace), order_(order) {}

  /// Never throws: a failure of one input must not prevent others from being linted.
  LintOutcome run(const LintTask& task);

 private:
  LintOutcome lint(const LintTask& task);
  void prove(Analysis& analysis) const;
  std::vector<Analysis> fix(const std::vector<Analysis>& analyses,
                            const std::function<void(Analysis&)>& more,
                            std::vector<report::Repaired>& repaired,
                            LintOutcome& outcome) const;

  Workspace& workspace_;
  const LintOrder& order_;
};

/// `linter.run(task)`, but a crash in it ends only this task: its outcome then reports it as
/// `internal` (base/os/crash_guard.h).
LintOutcome run_guarded(Linter& linter, const LintTask& task);

}  // namespace epwise::cli
