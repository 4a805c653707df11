#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lint/engine.h"
#include "lint/knowledge.h"
#include "model/target.h"
#include "recipe/load.h"
#include "repair/bench.h"
#include "text/diagnostic.h"
#include "text/source_file.h"

namespace epwise::editor {

/// One recipe of a text.
struct Sheet {
  std::shared_ptr<const recipe::Recipe> recipe;
  const recipe::Vocabulary* vocabulary = nullptr;  // the recipe's own where it has one
  model::Target target;                            // the reading's, and what its launcher says
  lint::Result result;
};

/// What linting one version of a text gave, with all that asking further takes. Stays where it is:
/// a bench refers into it.
struct Reading {
  Reading() = default;
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() = default;

  std::shared_ptr<const text::SourceFile> file;
  std::shared_ptr<const lint::Knowledge> knowledge;  // findings point into it
  model::Target target;
  lint::Selection selection;
  recipe::Request request;
  /// Absolute, of other files that were read: the recipe that it is laid over, what a script reads.
  std::map<const text::SourceFile*, std::string> paths;
  std::function<const recipe::Vocabulary&(recipe::Framework, std::string_view model_class)>
      vocabulary_for;
  /// Takes findings out of a result that comments in the text accept; may be empty.
  std::function<void(const recipe::Recipe&, const model::Target&, lint::Result&)> accept;
  std::vector<Sheet> sheets;

  bool skipped = false;                  // no recipe at all: nothing is said about it
  std::string problem;                   // its header, the settings or a configuration are wrong
  std::vector<text::Diagnostic> faults;  // of a configuration file itself

  /// For trying changes of the text.
  repair::Bench bench(std::size_t sheet) const {
    const model::Target& on = sheets[sheet].target;
    repair::Bench made{
        *knowledge, on, selection, vocabulary_for, request, sheet, static_cast<int>(sheet) + 1, {}};
    if (accept) {
      made.accept = [this, &on](const recipe::Recipe& recipe, lint::Result& result) {
        accept(recipe, on, result);
      };
    }
    return made;
  }
};

/// What the editor's user has set: options of the command line without their dashes and what they
/// say, {"hw", "gb200"}. One that takes several values comes several times.
using Wishes = std::vector<std::pair<std::string, std::string>>;

/// Who reads and lints what the editor holds; the command line implements it. One thread at a time.
class Desk {
 public:
  virtual ~Desk() = default;

  /// From here on. `root`: the folder that the editor has open, absolute or empty. Throws
  /// world::UsageError for a name or value that there is not.
  virtual void set(const Wishes& wishes, const std::string& root) = 0;

  /// Files on the disk (configurations, base recipes, rules) may have changed.
  virtual void forget() = 0;

  /// How findings name a file: relative to the working directory where it lies below it.
  virtual std::string name_of(const std::string& absolute) const = 0;

  /// Never throws for what the text, the configuration or the settings say, never writes.
  virtual std::shared_ptr<const Reading> lint(
      const std::shared_ptr<const text::SourceFile>& file) = 0;
};

}  // namespace epwise::editor
