#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lint/engine.h"
#include "lint/knowledge.h"
#include "model/target.h"
#include "recipe/load.h"
#include "repair/change.h"

namespace epwise::repair {

/// The text of a recipe on its way through changes.
struct Draft {
  std::string bytes;  // of the whole file, with its byte-order mark; empty without file
  std::vector<std::string> words;  // behind `--`

  bool operator==(const Draft&) const = default;
};

/// A draft and what linting says about it.
struct Trial {
  Draft draft;
  std::shared_ptr<const recipe::Recipe> recipe;
  lint::Result result;
};

/// Everything but the text that linting one recipe needs, so that it can be linted again with
/// changes. All references outlive it.
struct Bench {
  const lint::Knowledge& knowledge;
  const model::Target& target;
  const lint::Selection& selection;
  /// The framework's tables for its version in the target's stack.
  std::function<const recipe::Vocabulary&(recipe::Framework, std::string_view model_class)>
      vocabulary_for;
  recipe::Request request;  // file, framework, words and environment as they were
  std::size_t place = 0;    // of the recipe among those of the request
  int document = 1;         // of the file
  /// Takes findings out of a result that the user accepts; they are not to be repaired. May be
  /// empty.
  std::function<void(const recipe::Recipe&, lint::Result&)> accept = {};

  Draft draft() const;

  const recipe::Vocabulary& vocabulary_of(const recipe::Recipe& recipe) const;

  /// Reads a draft without linting it; without recipe where it holds fewer than before.
  Trial load(Draft draft) const;

  /// Lints a draft, on another target where one is given.
  Trial lint(Draft draft, const model::Target* instead = nullptr) const;

  /// The draft with a change made; `obstacle` says why it is not.
  Draft changed(const Draft& draft, const Change& change, std::string& obstacle) const;
};

/// What a trial is judged by: everything at or above warning, and the launch.
struct Verdict {
  std::vector<std::string> problems;  // names of findings at or above warning, sorted
  std::vector<std::string> findings;  // of all, sorted
  std::vector<std::string> open;      // ids of rules without an answer, sorted
  std::vector<std::string> waiting;   // ids of rules that wait for an illegal value, sorted
  std::vector<std::string> hidden;    // those, and ids of problems that others explain, sorted
  int launch = 0;                     // 0 starts, 1 undecided, 2 rejects, 3 not readable
};

/// `launch` of a verdict.
int rank(lint::Verdict verdict);

Verdict verdict_of(const recipe::Recipe& recipe, const lint::Result& result);
Verdict verdict_of(const Trial& trial);

/// A finding's name, the same before and after changes elsewhere.
std::string name_of(const lint::Finding& finding);

/// Adds the rules that failed without being reported.
void add_unreported(const std::vector<const lint::Rule*>& explained,
                    const std::vector<const lint::Rule*>& waiting,
                    Verdict& verdict);

/// Whether `after` is without the finding (a rule that has become open proves nothing), has no new
/// problem, reported or hidden behind another, and no worse launch. What waited for an illegal
/// value was wrong before.
bool is_better(const Verdict& before, const Verdict& after, const std::string& finding);

}  // namespace epwise::repair
