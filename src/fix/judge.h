#pragma once

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "fix/verdict.h"
#include "lint/engine.h"
#include "lint/variants.h"

namespace epwise::fix {

/// The verdict on a recipe with other values or on another target, without parsing a text again:
/// uses lint::Variants; readers' diagnostics about the text are unchanged.
class Judge {
 public:
  /// `base` outlives the judge; its recipe is there.
  explicit Judge(const session::Analysis& base);

  /// Before any change.
  const Verdict& before() const { return before_; }

  /// With a fix applied. nullopt if only linting the changed text can decide it: removed keys, whole
  /// sections, environment variables, values of another type than the field's or with a reader's
  /// diagnostic, and all of Megatron-LM, whose flags carry more than their values.
  std::optional<Verdict> with(const lint::Fix& fix);

  /// On a target that differs in hardware, number of GPUs or the versions of components other than
  /// the framework.
  Verdict on(const facts::Target& target);

 private:
  std::optional<std::vector<lint::Variants::Change>> changes_of(const lint::Fix& fix) const;
  std::vector<lint::Variants::Change> changes_of(const facts::Target& target) const;
  Verdict judge(const std::vector<lint::Variants::Change>& changes);

  const session::Analysis& base_;
  const recipe::Recipe& recipe_;
  const recipe::Vocabulary& vocabulary_;
  Verdict before_;
  std::set<const lint::Rule*> accepted_;      // their findings count for nothing
  Verdict readers_;                           // the readers' diagnostics, which remain valid …
  std::set<int> reported_lines_;              // … as long as these lines are unchanged
  std::unique_ptr<lint::Variants> variants_;  // created on first use
};

/// Adds to every error the targets on which the recipe would be fine: the nearest version of a
/// package that a released container has, other GPUs, another number of GPUs. Each is verified by
/// linting: the finding disappears, nothing new at or above warning, no worse launch. Varies only
/// what the target specifies, one value at a time.
void find_elsewhere(session::Analysis& analysis);

}  // namespace epwise::fix
