#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/file_selection.h"
#include "cli/settings.h"
#include "cli/this_machine.h"
#include "cli/vocabularies.h"
#include "lint/engine.h"
#include "report/lint_report.h"
#include "world/files.h"

namespace epwise::cli {

/// Which documents of a file count.
struct DocumentChoice {
  bool merge = false;  // all of them as one recipe
  int number = 0;      // only this one, from 1; 0: all
};

/// "all", "merge" or a number from 1; throws world::UsageError.
DocumentChoice parse_document(const Setting& setting);

/// One input and everything that was said about it outside of its own text.
struct LintTask {
  std::string path;  // as it is shown
  bool named = true;
  std::optional<std::string> standard;          // content, when it came from standard input
  bool words_only = false;                      // no file: `epwise lint -- --num-layers 4`
  std::vector<const TargetSettings*> stronger;  // than the recipe's header
  std::vector<const TargetSettings*> weaker;
  lint::Selection selection;
  bool selects_any = true;  // some rule is left
};

/// What became of one input. Exactly one of the sentences is set when it could not be linted.
struct LintOutcome {
  std::vector<report::LintedFile> files;  // one a document
  std::string unreadable;
  std::string usage;     // its header or target is wrong
  std::string internal;  // a bug of ours
  bool skipped = false;  // found in a folder, and no recipe
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
  LintOutcome lint(const LintTask& task);
  std::vector<recipe::Recipe> load(const LintTask& task,
                                   std::shared_ptr<const text::SourceFile> file,
                                   const model::Target& target,
                                   std::optional<recipe::Framework> framework);
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
