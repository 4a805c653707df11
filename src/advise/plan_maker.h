#pragma once

#include <functional>
#include <map>
#include <optional>

#include "advise/comparison_tables.h"
#include "advise/search.h"
#include "advise/starting_points.h"

namespace epwise::advise {

/// The cost of a candidate under a goal, relative to the recipe's own step; infinite if it is
/// unusable. Every change costs a little, so that the simplest of equal candidates wins.
Cost cost_of(const Assessment& assessment,
             const Candidate& candidate,
             const Space& space,
             Goal goal,
             const Assessment& present);

/// The recipe's text with edits. Variables that it does not write are left out, and a whole section
/// can be replaced by a word (`mixed_precision: bf16_mixed`). `obstacle`: why it cannot be edited;
/// otherwise unchanged.
session::Draft draft_with(const Edits& edits,
                          const EvaluatorCache& cache,
                          const session::Analysis& base,
                          std::string& obstacle);

/// Turns search results into plans that a person can follow: the fewest changes that bring the
/// gain, as edits of the recipe's text, with everything that has to be checked.
class PlanMaker {
 public:
  PlanMaker(const Study& study, Goal goal);

  /// Recipes whose settings a plan takes where predictions cannot tell them from its own.
  void prefer(std::vector<Precedent> precedents) { precedents_ = std::move(precedents); }

  /// The best candidates with distinct changes, best first; none contains more changes than another
  /// without gaining more.
  std::vector<Candidate> choose(const SearchResult& result, std::size_t most);

  /// The plan of a candidate; nullopt if its text does not lint as well as the recipe, or cannot be
  /// predicted.
  std::optional<Plan> make(const Candidate& candidate);

  /// The plan of exactly this candidate, whatever it gains.
  std::optional<Plan> make_exactly(const Candidate& chosen);

  /// Without the plans that one of `better` dominates, which may be the same list.
  void remove_dominated(std::vector<Plan>& plans, const std::vector<Plan>& better);

  /// Without the plans that add nothing to one before them.
  void remove_needless(std::vector<Plan>& plans);

 private:
  const Assessment& assessed(const Candidate& candidate);

  /// Without the changes that the prediction sees no gain in.
  Candidate pruned(Candidate candidate);

  /// The fastest combination of the candidate's own axes that is better in every respect; the
  /// candidate itself if there is none.
  Candidate undominated(Candidate candidate);

  Candidate simplified(Candidate candidate);

  /// Drops changes without a clear gain: of the subsets that cannot be distinguished from the
  /// whole, the smallest. The sizes of the layout are one change: all of them or one at a time.
  Candidate without_ties(Candidate candidate);

  /// The candidate without these axes, if that loses nothing that can be told from the whole.
  std::optional<Candidate> without(const Candidate& candidate,
                                   const std::vector<std::size_t>& axes,
                                   const Prospect& whole);

  /// With the dispatcher that documents recommend for the hardware, if it is no clear loss and does
  /// not turn a gain into a loss.
  Candidate with_documented_dispatcher(Candidate candidate);
  bool is_tie(const Candidate& candidate, const Candidate& other, const Prospect& documented);

  /// With the settings of the likest precedent of its precision: all of them or, if they lose for
  /// certain or do not fit, each as far as it does not.
  Candidate with_precedent(Candidate candidate);

  /// The precedent that speaks about a candidate; null pointer if there is none.
  const Precedent* precedent_of(const Candidate& candidate) const;

  /// What the candidate would be with the documents' dispatcher; nullopt if it changes none, or to that
  /// one.
  std::optional<DocumentedInstead> documented_instead(const Candidate& candidate,
                                                      const Prospect& prospect);

  /// The edits with those variables of the plan that the file has a place for, which become changes.
  Edits with_variables(Edits edits, Plan& plan);
  void write(const Edits& edits, Plan& plan);
  bool verify(Plan& plan);
  void list_changes(const Candidate& candidate, const Prospect& prospect, Plan& plan);
  void list_companions(const Prospect& prospect, Plan& plan);
  void list_environment(const Candidate& candidate, const Prospect& prospect, Plan& plan);
  void list_bring_up(const Candidate& candidate, const Prospect& prospect, Plan& plan);

  const Study& study_;
  Goal goal_;
  double event_factor_;  // of the recipe itself
  std::vector<Precedent> precedents_;
  std::map<Candidate, Assessment> assessed_;
};

}  // namespace epwise::advise
