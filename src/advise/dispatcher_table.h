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

/// Step times over the numbers of SMs that dispatchers with such a number may get, up to the most
/// that a plan may set. The dispatcher of `plan` is looked at beside the plan's other changes, so
/// that both name one number; the others beside the recipe as it is.
std::vector<SmSweep> sm_sweeps(const Study& study, const Candidate* plan = nullptr);

/// The most SMs that a move of such an axis sets: neither advice nor prices look beyond.
int most_sms(const Axis& axis);

/// The candidate with the number of SMs that the sweep of its dispatcher takes.
Candidate with_chosen_sms(const Study& study, Candidate candidate);

}  // namespace epwise::advise
