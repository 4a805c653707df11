#include "advise/diagnosis.h"

#include <algorithm>
#include <cstddef>

#include "advise/decision.h"
#include "perf/sim/step/waterfall.h"

namespace epwise::advise {

namespace {

std::vector<double> shares_of(const sim::StepWork& work,
                              const sim::Constants& constants,
                              const Knowledge& knowledge) {
  const sim::Waterfall waterfall = sim::waterfall_of(work, constants);
  double step = 0;
  for (const sim::WaterfallTerm& term : waterfall) {
    step += term.seconds;
  }
  std::vector<double> shares;
  for (const Wall& wall : knowledge.walls) {
    double seconds = 0;
    for (const sim::WaterfallTerm& term : waterfall) {
      if (std::ranges::find(wall.terms, term.name) != wall.terms.end()) {
        seconds += term.seconds;
      }
    }
    shares.push_back(seconds / step);
  }
  return shares;
}

/// The largest of those that reach their threshold; a threshold of 0 matches the rest.
std::size_t binding(const std::vector<double>& shares, const Knowledge& knowledge) {
  std::size_t found = shares.size();
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double from = knowledge.walls[i].from;
    if (from > 0 && shares[i] >= from && (found == shares.size() || shares[i] > shares[found])) {
      found = i;
    }
  }
  const auto rest = std::ranges::find(knowledge.walls, 0.0, &Wall::from);
  return found < shares.size() ? found : static_cast<std::size_t>(rest - knowledge.walls.begin());
}

}  // namespace

Diagnosis diagnose(const Prospect& present,
                   const sim::ConstantTable& constants,
                   const Knowledge& knowledge) {
  constexpr int kDraws = 64;
  Diagnosis diagnosis;
  const std::vector<double> shares = shares_of(*present.work, constants.values, knowledge);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    diagnosis.shares.emplace_back(knowledge.walls[i].name, shares[i]);
  }
  const double risk = present.assessment.out_of_memory;
  constexpr double kLikely = 0.5;
  if (risk > kLikely) {
    diagnosis.wall = "memory";
    diagnosis.share = present.assessment.needed_memory / present.job->machine.memory;
    diagnosis.sure = risk;
    diagnosis.advice = knowledge.memory_advice;
    return diagnosis;
  }
  const std::size_t wall = binding(shares, knowledge);
  int same = 0;
  for (const sim::Constants& drawn : draw_constants(constants, kDraws)) {
    same += binding(shares_of(*present.work, drawn, knowledge), knowledge) == wall ? 1 : 0;
  }
  diagnosis.wall = knowledge.walls[wall].name;
  diagnosis.share = shares[wall];
  diagnosis.from = knowledge.walls[wall].from;
  diagnosis.sure = (1 - risk) * same / kDraws;
  diagnosis.advice = knowledge.walls[wall].advice;
  return diagnosis;
}

}  // namespace epwise::advise
