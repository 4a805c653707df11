#pragma once

#include <memory>
#include <vector>

#include "lint/facts/target.h"
#include "lint/knowledge.h"
#include "recipe/recipe.h"

namespace epwise::lint {

struct Ledger;  // lint/launch_run.h

/// The result for a variant of a recipe: enough to choose among thousands of them.
struct Judgement {
  Verdict verdict = Verdict::starts;
  const Rule* first = nullptr;      // rejects: the check that fires first
  std::vector<const Rule*> failed;  // as the findings of a lint run, in the order of the rule table
  std::vector<const Rule*> open;
  std::vector<const Rule*> explained;  // as Result::explained
  std::vector<const Rule*> waiting;    // as Result::waiting
  /// Where the release is unknown: errors of the assumed one, whose conditions hold. Of the recipe
  /// itself all, of a variant those that read what it changes. They are among `open` as well.
  std::vector<const Rule*> assumed;
};

/// One recipe and its variants that differ in a few values, evaluated fast: a rule that reads
/// nothing depending on a changed value keeps its result for the recipe itself. Each result equals
/// that of linting the recipe with those values written (readers' diagnostics about the text are
/// unchanged).
///
///   Variants variants(recipe, vocabulary, target, knowledge);
///   variants.judge({{*knowledge.names.find("model.expert_model_parallel_size"), Value::of(8)}})
class Variants {
 public:
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): a slot has no default constructor
  struct Change {
    expr::NameSlot slot;  // a field whose section exists, "gpus", "hw.…", "stack.…" or "env.…"
    expr::Value value;
  };

  /// The arguments must outlive the object, except for `known`: what linting this very recipe on this
  /// target has written, which spares evaluating all rules once more; may be a null pointer.
  Variants(const recipe::Recipe& recipe,
           const recipe::Vocabulary& vocabulary,
           const facts::Target& target,
           const Knowledge& knowledge,
           const Ledger* known = nullptr);
  ~Variants();
  Variants(const Variants&) = delete;
  Variants& operator=(const Variants&) = delete;

  /// The recipe itself.
  const Judgement& base() const;

  Judgement judge(const std::vector<Change>& changes);

  /// How many rules are evaluated again when this name changes.
  int readers(expr::NameSlot slot) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace epwise::lint
