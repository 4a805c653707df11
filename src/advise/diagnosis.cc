#include "advise/diagnosis.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "advise/decision.h"
#include "perf/sim/step/waterfall.h"
#include "perf/workload/flops.h"

namespace epwise::advise {

namespace {

struct Shares {
  std::vector<double> walls;  // as in the knowledge
  double step = 0;            // s
};

Shares shares_of(const sim::StepWork& work,
                 const sim::Constants& constants,
                 const Knowledge& knowledge) {
  const sim::Waterfall waterfall = sim::waterfall_of(work, constants);
  Shares shares;
  for (const sim::WaterfallTerm& term : waterfall) {
    shares.step += term.seconds;
  }
  for (const Wall& wall : knowledge.walls) {
    double seconds = 0;
    for (const sim::WaterfallTerm& term : waterfall) {
      if (std::ranges::find(wall.terms, term.name) != wall.terms.end()) {
        seconds += term.seconds;
      }
    }
    shares.walls.push_back(seconds / shares.step);
  }
  return shares;
}

/// The time that the model's arithmetic would take at the peak of the recipe's number format, in s;
/// 0: unknown.
double arithmetic_of(const workload::Workload& job, const hw::Profile& hw) {
  const auto peak = [&](std::string_view name) {
    const hw::Sourced* found = hw.number(name);
    return found == nullptr ? 0 : found->value.value;
  };
  const double narrow = job.precision == workload::Precision::bf16    ? 0
                        : job.precision == workload::Precision::nvfp4 ? peak("peak_fp4")
                                                                      : peak("peak_fp8");
  const double rate = narrow > 0 ? narrow : peak("peak_bf16");
  const double tokens =
      static_cast<double>(job.batch.global) * job.architecture.sequence / job.parallel.gpus;
  return rate > 0 ? tokens * workload::flops_per_token(job.architecture) / rate : 0;
}

/// The wall with the largest share beyond that of the model's arithmetic at peak, which is part of
/// the wall that all other terms leave.
std::size_t binding(std::vector<double> shares, double arithmetic, const Knowledge& knowledge) {
  for (std::size_t i = 0; i < shares.size(); ++i) {
    shares[i] -= knowledge.walls[i].from > 0 ? 0 : arithmetic;
  }
  return static_cast<std::size_t>(std::ranges::max_element(shares) - shares.begin());
}

}  // namespace

Diagnosis diagnose(const Prospect& present,
                   const sim::ConstantTable& constants,
                   const Knowledge& knowledge,
                   const hw::Profile& hw) {
  constexpr int kDraws = 64;
  Diagnosis diagnosis;
  const double arithmetic = arithmetic_of(*present.job, hw);
  const Shares own = shares_of(*present.work, constants.values, knowledge);
  const std::vector<double>& shares = own.walls;
  diagnosis.arithmetic = arithmetic / own.step;
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
  const std::size_t wall = binding(shares, diagnosis.arithmetic, knowledge);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const Wall& other = knowledge.walls[i];
    if (i != wall && other.from > 0 && shares[i] >= other.from) {
      diagnosis.beside.push_back({other.name, shares[i], other.advice});
    }
  }
  int same = 0;
  for (const sim::Constants& drawn : draw_constants(constants, kDraws)) {
    const Shares other = shares_of(*present.work, drawn, knowledge);
    same += binding(other.walls, arithmetic / other.step, knowledge) == wall ? 1 : 0;
  }
  diagnosis.wall = knowledge.walls[wall].name;
  diagnosis.share = shares[wall];
  diagnosis.sure = (1 - risk) * same / kDraws;
  diagnosis.advice = knowledge.walls[wall].advice;
  return diagnosis;
}

namespace {

/// What a plan is without one of its knobs: why that knob stays. `step`: of the whole plan, s.
std::string reason_to_keep(const Study& study,
                           const Candidate& plan,
                           std::size_t axis,
                           double step) {
  Candidate without = plan;
  without[axis] = 0;
  const bool depends = study.space.canonical(without) != without;
  const Assessment other = depends ? Assessment{} : study.assessor.assess(without);
  if (!other.legal) {
    return "later knobs need it";
  }
  if (!other.fits) {
    return "without it the last step does not fit";
  }
  const double longer = other.step / step - 1;
  constexpr double kWorthTelling = 0.005;
  return longer < kWorthTelling
             ? ""
             : fmt::format("without it the last step takes {:.0f} % longer", 100 * longer);
}

}  // namespace

std::vector<TuningStep> tuning_steps(const Study& study, const Candidate& plan) {
  std::vector<std::size_t> axes = study.space.changed(plan);
  const auto axis_of = [&](std::size_t i) -> const Axis& {
    return *study.space.dimensions()[i].axis;
  };
  const auto is_size = [&](std::size_t i) { return axis_of(i).sets_sizes(); };
  std::ranges::stable_sort(axes, {}, [&](std::size_t i) { return axis_of(i).order; });
  std::vector<TuningStep> steps;
  const double whole = study.assessor.assess(plan).step;
  Candidate at = study.space.start();
  Prospect below = study.present;
  TuningStep next;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Axis& axis = axis_of(axes[i]);
    at[axes[i]] = plan[axes[i]];
    const std::string what = title_of(axis, *study.space.move(plan, axes[i]));
    next.what += (next.what.empty() ? "" : ", ") + what;
    if (next.check.find(axis.check) == std::string::npos) {
      next.check += (next.check.empty() ? "" : "; ") + axis.check;
    }
    const bool more_sizes = i + 1 < axes.size() && is_size(axes[i]) && is_size(axes[i + 1]);
    if (more_sizes || study.space.canonical(at) != at) {  // or it counts only with a later one
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
    next.wall = diagnose(prospect, constants, study.knowledge, *study.world.base.target->hw).wall;
    next.keep = next.verdict == sim::Verdict::b ? "" : reason_to_keep(study, plan, axes[i], whole);
    steps.push_back(std::exchange(next, {}));
    below = std::move(prospect);
  }
  return steps;
}

}  // namespace epwise::advise
