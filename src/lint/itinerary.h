#pragma once

#include <vector>

#include "lint/knowledge.h"
#include "lint/launch.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::lint {

/// One step of a launch: a check or a rewrite.
struct Step {
  const Rule* check = nullptr;
  const RewriteStep* rewrite = nullptr;
};

/// A stage as it is walked through. A stage that repeats others is followed by one leg for each of
/// them.
struct Leg {
  const Stage* stage = nullptr;
  const Stage* within = nullptr;  // the stage whose condition decides whether this leg is walked
  std::vector<Step> steps;        // in the order of upstream's lines
};

/// Everything of a framework's pipeline that one version and one recipe's classes know, in the
/// order of the real code, and the rules that are judged after it.
struct Itinerary {
  std::vector<Leg> legs;
  std::vector<std::int32_t> created;  // slots of values that only the framework sets
  std::vector<const Rule*> rest;
  /// Rules of some releases, where nobody knows which one runs.
  std::vector<const Rule*> unsettled;
};

/// Of a trainer's recipe, the stages that run there too; checks of the others don't count.
/// `settled`: whether the release that runs is known; where it isn't, what differs between releases
/// is left out.
///
/// Pointers lead into `knowledge`. A rewrite of a field that neither the version nor the recipe has
/// is left out.
Itinerary plan(const Knowledge& knowledge,
               const recipe::Recipe& recipe,
               const recipe::Vocabulary& vocabulary,
               bool settled = true);

}  // namespace epwise::lint
