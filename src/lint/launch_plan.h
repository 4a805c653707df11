#pragma once

#include <vector>

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

/// For a trainer's recipe, the stages that also run there; checks of other stages do not count.
/// `settled`: whether the release is known; if not, differences between releases are omitted.
///
/// Pointers point into `knowledge`. Omits rewrites of fields that neither the version nor the
/// recipe has.
LaunchPlan plan(const Knowledge& knowledge,
                const recipe::Recipe& recipe,
                const recipe::Vocabulary& vocabulary,
                bool settled = true);

}  // namespace epwise::lint
