#pragma once

#include "advise/advice.h"

namespace epwise::advise {

/// What the builders of an advice share: one recipe, what may change in it, and what is known of
/// it. References outlive it.
struct Study {
  const World& world;
  const Knowledge& knowledge;
  const Space& space;
  Assessor& assessor;
  const Prospect& present;  // the recipe itself, with a prediction
};

/// Legal, or which rule forbids it and in what words.
Legality legality_of(const Prospect& prospect);

/// The recipe with each dispatcher that its framework's version knows, everything else equal (but
/// for what the rules ask to go with it). Ranked by the predicted step; those that can't be told
/// from the first are ties.
std::vector<DispatcherRow> dispatcher_table(const Study& study);

/// Step times over the numbers of SMs that dispatchers with such a number may get.
std::vector<SmSweep> sm_sweeps(const Study& study);

}  // namespace epwise::advise
