#pragma once

#include <functional>
#include <optional>

#include "advise/dispatcher_table.h"
#include "advise/search.h"

namespace epwise::advise {

/// What a candidate costs under a goal, given the recipe's own step; infinite where it can't be
/// used. Each change costs a little, so that of equals the simpler one is cheaper.
Cost cost_of(const Assessment& assessment,
             const Candidate& candidate,
             const Space& space,
             Goal goal,
             const Assessment& present);

/// Turns what the search found into plans that a person can follow: the fewest changes that bring
/// the gain, as edits of the recipe's text, with everything that has to be looked at.
class PlanMaker {
 public:
  PlanMaker(const Study& study, repair::Draft draft, Goal goal);

  /// The best candidates that differ in what they change, the best first: none that changes more
  /// than another and gains no more.
  std::vector<Candidate> choose(const SearchResult& result, std::size_t most);

  /// The plan of a candidate; nullopt where its text doesn't lint as well as the recipe, or can't
  /// be predicted.
  std::optional<Plan> make(const Candidate& candidate);

 private:
  Candidate simplified(Candidate candidate);

  /// Without the changes that bring no clear gain: of what can't be told from the whole, the
  /// fewest.
  Candidate without_ties(Candidate candidate);
  void write(const Prospect& prospect, Plan& plan);
  bool verify(Plan& plan);
  void list_changes(const Candidate& candidate, const Prospect& prospect, Plan& plan);
  void list_environment(const Candidate& candidate, const Prospect& prospect, Plan& plan);
  void list_bring_up(const Candidate& candidate, Plan& plan);
  PlanChange change_of(const Edit& edit, lint::Tier tier, std::string why) const;

  const Study& study_;
  repair::Draft draft_;
  Goal goal_;
  double event_factor_;  // of the recipe itself
};

}  // namespace epwise::advise
