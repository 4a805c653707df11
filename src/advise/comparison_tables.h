#pragma once

#include "advise/advice.h"

namespace epwise::advise {

/// What tells one model from another.
ModelSizes sizes_of(const workload::Architecture& model);

/// Inputs shared by the builders of an advice: one recipe, the allowed changes and the known facts.
/// All references must outlive it.
struct Study {
  const World& world;
  const Knowledge& knowledge;
  const Space& space;
  Assessor& assessor;
  const Prospect& present;  // the recipe itself, with a prediction
};

/// Whether the candidate is valid or, if not, the rule that forbids it, with its message.
Legality legality_of(const Prospect& prospect, const Evaluator& evaluator);

/// An edit in the spelling of the recipe's format, with the value that it replaces.
PlanChange change_of(const Edit& edit,
                     lint::Tier tier,
                     std::string why,
                     const Evaluator& evaluator);

/// A change as a setting within a sentence: "model.x=1", "--x 1", "--bf16", "no model.x".
std::string assignment_text(const PlanChange& change);

/// Several, with commas between them.
std::string assignments_text(const std::vector<PlanChange>& changes);

/// The dispatchers that documents recommend for the hardware and the purpose, best first; the last
/// is "alltoall". `afterwards`: once the bring-up, if that is the purpose, is done.
std::vector<std::string> documented_dispatchers(const Study& study, bool afterwards = false);

/// The first of them.
std::string documented_dispatcher(const Study& study);

/// The recipe with each dispatcher that its framework version supports, everything else equal
/// (except for changes that rules require). Ranked by predicted step; those too close to the first
/// are ties, and of these the documented one stands first.
std::vector<DispatcherRow> dispatcher_table(const Study& study);

/// Step time against SM count for dispatchers with a configurable count, up to the maximum that a
/// plan may set. The dispatcher of `plan` is evaluated with the plan's other changes, so that both
/// report the same count; the others with the recipe unchanged.
std::vector<SmSweep> sm_sweeps(const Study& study, const Candidate* plan = nullptr);

/// The highest SM count set by any move of such an axis: neither advice nor prices go beyond it.
int most_sms(const Axis& axis);

/// The candidate with the SM count chosen by its dispatcher's sweep.
Candidate with_chosen_sms(const Study& study, Candidate candidate);

struct Ladder {
  sim::Range start;  // s, without any rung
  std::vector<RungState> rungs;
};

/// Starts without overlap and adds the rungs of the knowledge one after another: the gain of each,
/// alone and added, and its requirements. A rung that is not valid is left out of those above it. What
/// rules required of a rung stays with those above it.
Ladder overlap_ladder(const Study& study);

/// Which dispatcher to take from the table of a recipe: the fastest, and of those that are too close
/// to call the documents' first choice (in a bring-up that one whatever it costs); with the reason,
/// what documents say about the model, its memory against all-to-all, and published runs.
Choice choice_of(const Study& study, const std::vector<DispatcherRow>& rows);

/// Published comparisons of this model or on this kind of GPU, the likest first.
std::vector<PublishedRow> published_for(const Study& study, const std::vector<DispatcherRow>& rows);

}  // namespace epwise::advise
