#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lint/engine.h"
#include "model/target.h"
#include "recipe/recipe.h"

namespace epwise::report {

/// What --fix made of a document, or would make.
struct Repaired {
  struct Change {
    std::string field;
    std::optional<std::string> before;  // nullopt: it was not there
    std::optional<std::string> after;   // nullopt: it goes
    std::string rule;                   // id of the finding that it settles
    lint::Tier tier = lint::Tier::neutral;
  };

  /// An error that is still there.
  struct Left {
    const lint::Rule* rule = nullptr;
    std::optional<lint::Tier> tier;  // of the least fix that settles it; nullopt: no fix does
  };

  bool made = true;      // false: --diff only shows it
  bool bounded = false;  // fewer changes may do
  std::vector<Change> changes;
  std::vector<Left> left;
};

/// One linted document.
struct LintedFile {
  std::string path;  // relative to the working directory, "a.yaml#2" for a later document
  std::shared_ptr<const recipe::Recipe> recipe;
  lint::Result result;
  std::string target;  // "h100 x 16, te 2.14.0, torch 2.9.1 (--hw, --gpus, --stack)"
  std::optional<Repaired> repaired = {};
  /// The lightest findings that make the exit code; nullopt: none do.
  std::optional<lint::Severity> fails_from = lint::Severity::error;
};

/// The git checkout that the files stand in, for formats that name files from its root.
struct Checkout {
  std::string root;      // absolute, its own or, outside of one, the working directory; not shown
                         // but in the URI of a file elsewhere
  std::string prefix;    // working directory seen from the root: "" or "recipes/gb200/"
  std::string uri;       // of the origin, may be empty
  std::string revision;  // full commit id, may be empty
  std::string branch;    // may be empty
};

/// A limit on a predicted number, and what became of it.
struct Budget {
  enum class State : std::uint8_t { kept, broken, undecided };
  State state = State::kept;
  std::string path;    // of the recipe
  std::string option;  // "--max-exposed-comm"
  std::string limit;   // "8 %"
  std::string text;    // "exposed communication 9.1 % to 14.2 % of the step"
};

/// What the baseline came to in this run.
struct BaselineCount {
  std::string path;
  int known = 0;    // findings that it holds
  int settled = 0;  // entries of linted files that no finding answers to any more
};

/// What `epwise lint` wants to say, before anyone chose a format.
struct LintReport {
  std::string tool_version;
  std::vector<LintedFile> files;  // by path
  const lint::Knowledge* knowledge = nullptr;
  lint::Selection selection;
  std::vector<std::string> unreadable;  // sentences, one an input
  std::vector<std::string> skipped;     // paths of files that were found and are no recipes
  std::vector<Budget> budgets;          // of `epwise gate`
  std::optional<BaselineCount> baseline = {};
  int exit_code = 0;
  bool strict = false;
  Checkout checkout;
};

}  // namespace epwise::report
