#include "advise/diagnosis.h"

#include <algorithm>
#include <cstddef>
#include <utility>

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

/// The wall that takes the largest share of the step.
std::size_t binding(const std::vector<double>& shares) {
  return static_cast<std::size_t>(std::ranges::max_element(shares) - shares.begin());
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
  const std::size_t wall = binding(shares);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const Wall& other = knowledge.walls[i];
    if (i != wall && other.from > 0 && shares[i] >= other.from) {
      diagnosis.beside.push_back({other.name, shares[i], other.advice});
    }
  }
  int same = 0;
  for (const sim::Constants& drawn : draw_constants(constants, kDraws)) {
    same += binding(shares_of(*present.work, drawn, knowledge)) == wall ? 1 : 0;
  }
  diagnosis.wall = knowledge.walls[wall].name;
  diagnosis.share = shares[wall];
  diagnosis.sure = (1 - risk) * same / kDraws;
  diagnosis.advice = knowledge.walls[wall].advice;
  return diagnosis;
}

std::vector<TuningStep> tuning_steps(const Study& study, const Candidate& plan) {
  std::vector<std::size_t> axes = study.space.changed(plan);
  const auto axis_of = [&](std::size_t i) -> const Axis& {
    return *study.space.dimensions()[i].axis;
  };
  const auto is_size = [&](std::size_t i) {
    return axis_of(i).group == "mapping" || axis_of(i).group == "batch";
  };
  std::ranges::stable_sort(axes, {}, [&](std::size_t i) { return axis_of(i).order; });
  std::vector<TuningStep> steps;
  Candidate at = study.space.start();
  Prospect below = study.present;
  TuningStep next;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Axis& axis = axis_of(axes[i]);
    at[axes[i]] = plan[axes[i]];
    const std::string what = axis.what + ' ' + study.space.move(plan, axes[i])->name;
    next.what += (next.what.empty() ? "" : ", ") + what;
    if (next.check.find(axis.check) == std::string::npos) {
      next.check += (next.check.empty() ? "" : "; ") + axis.check;
    }
    if (i + 1 < axes.size() && is_size(axes[i]) && is_size(axes[i + 1])) {
      continue;
    }
    Prospect prospect = study.assessor.prospect(at);
    if (prospect.work == nullptr || !prospect.assessment.usable()) {
      continue;
    }
    const sim::ConstantTable& constants = study.world.constants;
    const sim::Comparison comparison = sim::compare(*below.work, *prospect.work, constants);
    next.step = step_range(*prospect.work, study.world);
    next.added = comparison.speedup;
    next.verdict = comparison.verdict;
    next.wall = diagnose(prospect, constants, study.knowledge).wall;
    steps.push_back(std::exchange(next, {}));
    below = std::move(prospect);
  }
  return steps;
}

}  // namespace epwise::advise
