#pragma once

#include <vector>

#include "lint/facts/facts.h"
#include "lint/knowledge.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::lint {

/// One step of a launch: a check or a rewrite.
struct Step {
  const Rule* check = nullptr;
  const RewriteStep* rewrite = nullptr;
};

/// A stage of the launch. A stage that repeats others is followed by one leg for each of them.
struct LaunchLeg {
  const Stage* stage = nullptr;
  const Stage* within = nullptr;  // the stage whose condition decides whether this leg runs
  std::vector<Step> steps;        // in the order of upstream's lines
};

/// The parts of a framework's pipeline that apply to one version and one recipe's classes, in the
/// order of the real code, and the rules evaluated after it.
struct LaunchPlan {
  std::vector<LaunchLeg> legs;
  std::vector<expr::NameSlot> created;  // slots of values that only the framework sets
  std::vector<const Rule*> rest;
  /// Rules of some releases, used if it is unknown which one runs.
  std::vector<const Rule*> unsettled;
};

/// Whether it is known which release of the recipe's framework runs: for a framework around
/// Megatron only if the target's stack gives it.
bool is_settled(const recipe::Recipe& recipe, const facts::Target& target);

/// What is known of the launch on `target`. For a trainer's recipe, the stages that also run there;
/// checks of other stages do not count. If the release is not settled, rewrites that differ between
/// releases are omitted, and rules of some releases only are `unsettled`.
///
/// Pointers point into `knowledge`. Omits rewrites of fields that neither the version nor the
/// recipe has.
LaunchPlan plan(const Knowledge& knowledge,
                const recipe::Recipe& recipe,
                const recipe::Vocabulary& vocabulary,
                const facts::Target& target);

/// The launch on the release of `vocabulary`, whether or not the target's stack gives it: what a
/// number is computed for that says which release it assumes.
LaunchPlan plan_for_release(const Knowledge& knowledge,
                            const recipe::Recipe& recipe,
                            const recipe::Vocabulary& vocabulary);

}  // namespace epwise::lint
