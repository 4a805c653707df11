#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/files/file_selection.h"
#include "cli/settings/settings.h"
#include "cli/target/resolution.h"
#include "cli/target/this_machine.h"
#include "cli/target/vocabularies.h"
#include "lint/engine.h"
#include "recipe/load.h"
#include "repair/bench.h"
#include "repair/plan.h"
#include "report/lint/lint_report.h"
#include "world/files.h"

namespace epwise::cli {

class Baseline;
class Pricing;

/// Which documents of a file count.
struct DocumentChoice {
  bool merge = false;  // all of them as one recipe
  int number = 0;      // only this one, from 1; 0: all
};

/// "all", "merge" or a number from 1; throws world::UsageError.
DocumentChoice parse_document(const Setting& setting);

/// The recipe that --base names; null pointer for an empty path. Throws world::MissingError.
std::shared_ptr<const text::SourceFile> base_file(const std::string& path,
                                                  const world::Files& files);

/// What --fix and --diff ask for.
struct FixOrder {
  lint::Tier highest = lint::Tier::neutral;
  bool show_only = false;
};

/// What became of the text of one input.
struct FixedText {
  repair::Draft before;
  repair::Draft after;
  std::vector<repair::Repair> repairs;
  bool bounded = false;                // a smaller set of changes may do
  bool of_words = false;               // a launch as it is given to a shell
  std::map<lint::Tier, int> left;      // errors and warnings that only a higher tier settles
  std::vector<std::string> unsettled;  // what is said of the errors without a fix, a document each
  int spared_by_comments = 0;          // findings with a fix of the tier that the user accepts
  int spared_by_baseline = 0;
};

/// One input and everything that was said about it outside of its own text.
struct LintTask {
  std::string path;  // as it is shown
  bool named = true;
  std::optional<std::string> standard;          // content, when it came from standard input
  bool words_only = false;                      // no file: `epwise lint -- --num-layers 4`
  std::vector<const TargetSettings*> stronger;  // than the recipe's header
  std::vector<const TargetSettings*> weaker;
  lint::Selection selection;
  bool selects_any = true;       // some rule is left
  bool shows_fixes = false;      // some format does: they are tried then, and those that fail go
  bool ignores = true;           // comments such as `# epwise: ignore[…]` count
  std::string today;             // "2026-11-22", for comments that end with a day
  bool written_in_full = false;  // those of notes are tried too, and other targets
  std::optional<FixOrder> fix;
  const Baseline* baseline = nullptr;          // what it knows is not fixed; null pointer: none
  const report::Checkout* checkout = nullptr;  // for the baseline
  const Pricing* pricing = nullptr;            // --price
};

/// What became of one input. Exactly one of the sentences is set when it could not be linted.
struct LintOutcome {
  std::vector<report::LintedFile> files;  // one a document
  std::string unreadable;
  std::string usage;               // its header or target is wrong
  std::string internal;            // a bug of ours
  bool skipped = false;            // found in a folder, and no recipe
  std::string unpriced;            // with --price: why there is no price
  std::optional<FixedText> fixed;  // `files` then tell of the changed text, unless it is only shown
};

/// Reads one input after another into findings. Safe to use from several threads.
class Linter {
 public:
  Linter(const world::Files& files,
         const lint::Knowledge& knowledge,
         const ThisMachine& machine,
         std::vector<std::string> words,
         DocumentChoice documents)
      : files_(files),
        knowledge_(knowledge),
        machine_(machine),
        words_(std::move(words)),
        documents_(documents) {}

  /// Never throws: what goes wrong with one input must not keep the others from being linted.
  LintOutcome run(const LintTask& task);

 private:
  /// One text of an input and what it is linted on.
  struct Sheet {
    const LintTask& task;
    const ResolvedTarget& resolved;
    recipe::Request request;
    std::vector<Setting> inputs = {};  // of predictions, the weakest source first
  };

  LintOutcome lint(const LintTask& task);
  LintOutcome lint(const Sheet& sheet);
  recipe::Request request_of(const LintTask& task,
                             std::shared_ptr<const text::SourceFile> file,
                             const ResolvedTarget& resolved) const;
  const recipe::Vocabulary& vocabulary_of(const Sheet& sheet,
                                          recipe::Framework framework,
                                          std::string_view model_class);
  repair::Bench bench_of(const Sheet& sheet, std::size_t place, const model::Target& target);
  std::size_t place_of(std::size_t document) const;
  void price(const Sheet& sheet,
             std::size_t document,
             const model::Target& target,
             lint::Result& result,
             LintOutcome& outcome);
  void fix(Sheet& sheet, LintOutcome& outcome);
  static void drop_unused(Sheet& sheet, const LintOutcome& outcome, FixedText& fixed);
  void prove(const Sheet& sheet, LintOutcome& outcome);
  std::shared_ptr<const text::SourceFile> read(const LintTask& task) const;

  const world::Files& files_;
  const lint::Knowledge& knowledge_;
  const ThisMachine& machine_;
  std::vector<std::string> words_;
  DocumentChoice documents_;
  Vocabularies vocabularies_;
};

/// The target in one line, with what it was learnt from, but for the framework, which the report
/// names itself: "h100 x 16, te 2.14.0, no deepep (--hw, --gpus, --stack)".
std::string describe(const model::Target& target, recipe::Framework framework);

}  // namespace epwise::cli
