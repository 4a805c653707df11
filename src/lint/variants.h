#pragma once

#include <memory>
#include <vector>

#include "lint/knowledge.h"
#include "lint/launch.h"
#include "model/target.h"
#include "recipe/recipe.h"

namespace epwise::lint {

/// What became of a variant of a recipe: enough to choose among thousands of them.
struct Judgement {
  Verdict verdict = Verdict::starts;
  const Rule* first = nullptr;      // rejects: the check that fires first
  std::vector<const Rule*> failed;  // as the findings of a lint, in the order of the rule table
  std::vector<const Rule*> open;
  std::vector<const Rule*> explained;  // as Result::explained
  std::vector<const Rule*> waiting;    // as Result::waiting
};

/// One recipe and everything that differs from it in a few values, judged fast: a rule that reads
/// nothing that follows from a changed value keeps the answer that it gave for the recipe itself.
/// Each judgement equals that of a lint of the recipe with those values written (what a reader says
/// about the text stays as it is).
///
///   Variants variants(recipe, vocabulary, target, knowledge);
///   variants.judge({{knowledge.names.find("model.expert_model_parallel_size"), Value::of(8)}})
class Variants {
 public:
  struct Change {
    std::int32_t slot = -1;  // a field whose section is there, "gpus", "hw.…", "stack.…" or "env.…"
    expr::Value value;
  };

  /// The arguments must outlive the object.
  Variants(const recipe::Recipe& recipe,
           const recipe::Vocabulary& vocabulary,
           const model::Target& target,
           const Knowledge& knowledge);
  ~Variants();
  Variants(const Variants&) = delete;
  Variants& operator=(const Variants&) = delete;

  /// The recipe itself.
  const Judgement& base() const;

  Judgement judge(const std::vector<Change>& changes);

  /// How many rules a change of this name makes it evaluate again.
  int readers(std::int32_t slot) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace epwise::lint
