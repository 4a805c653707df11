#include "sim/step/sm_sweep.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "advise/decision.h"
#include "advise/dispatcher_table.h"
#include "sim/prediction/comparison.h"
#include "sim/step/step.h"

namespace epwise::advise {

namespace {

/// The recipe's job with another number of SMs.
class Counts {
 public:
  Counts(const Prospect& prospect, const sim::Constants& constants)
      : job_(*prospect.job),
        like_(*prospect.work),
        constants_(constants) {}

  /// Valid until the next call.
  const sim::StepWork& with(int sms) {
    job_.exchange.sms = sms;
    work_ = sim::lower(job_, like_.machine, constants_, like_.stated);
    return work_;
  }

 private:
  model::Workload job_;
  const sim::StepWork& like_;
  const sim::Constants& constants_;
  sim::StepWork work_;
};

/// What the choice loses in the tenth worst of a hundred draws.
double regret_of(const SmSweep& sweep, Counts& counts, const sim::ConstantTable& constants) {
  constexpr int kDraws = 64;
  const std::vector<sim::Constants> draws = draw_constants(constants, kDraws);
  std::vector<double> best(draws.size(), 0);
  std::vector<double> chosen(draws.size(), 0);
  for (const SmSweep::Point& point : sweep.points) {
    const sim::StepWork& work = counts.with(point.sms);
    for (std::size_t i = 0; i < draws.size(); ++i) {
      const double step = sim::evaluate(work, draws[i], {}).step;
      best[i] = best[i] > 0 ? std::min(best[i], step) : step;
      chosen[i] = point.sms == sweep.chosen ? step : chosen[i];
    }
  }
  std::vector<double> losses;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    losses.push_back(chosen[i] / best[i] - 1);
  }
  std::ranges::sort(losses);
  return losses[losses.size() * 9 / 10];
}

const Condition* dispatcher_of(const Axis& axis) {
  const bool one = axis.sweep && !axis.with.empty() && axis.with.front().moves.size() == 1;
  return one ? &axis.with.front() : nullptr;
}

/// Whether this candidate has the dispatcher whose SMs the axis counts.
bool has_dispatcher(const Space& space, const Candidate& candidate, const Condition& condition) {
  const Move* move = space.move(candidate, condition.axis);
  return move != nullptr && move->name == condition.moves.front();
}

/// Of the counts that a plan may set: the fewest of the flat region, else the fastest. Of a
/// candidate that may not have it, or where that is not surely faster than what there is: the
/// present one.
Candidate best_count(const Study& study,
                     const Axis& axis,
                     const Candidate& plain,
                     const Prospect& prospect,
                     const SmSweep& sweep) {
  if (sweep.present >= sweep.flat_from && sweep.present <= sweep.flat_to) {
    return plain;
  }
  const SmSweep::Point* best = nullptr;
  for (const Move& move : axis.moves) {
    const int count = std::atoi(move.name.c_str());
    const auto point = std::ranges::find(sweep.points, count, &SmSweep::Point::sms);
    if (point == sweep.points.end()) {
      continue;
    }
    const bool flat = count >= sweep.flat_from && count <= sweep.flat_to;
    if (flat) {
      best = &*point;
      break;
    }
    best = best == nullptr || point->step < best->step ? &*point : best;
  }
  if (best == nullptr) {
    return plain;
  }
  const Candidate other = study.space.with(plain, axis.name, std::to_string(best->sms));
  const Prospect faster = study.assessor.prospect(other);
  const bool usable = faster.work != nullptr && faster.assessment.usable();
  const bool sure =
      usable &&
      sim::compare(*prospect.work, *faster.work, study.world.constants).verdict == sim::Verdict::b;
  return sure ? other : plain;
}

struct Swept {
  SmSweep sweep;
  Candidate chosen;
};

/// `plain` leaves the number of SMs as the recipe has it. Without points where nothing is
/// exchanged, or the candidate can't be predicted.
Swept swept(const Study& study, const Axis& axis, const Candidate& plain) {
  Swept result;
  result.chosen = plain;
  const Prospect prospect = study.assessor.prospect(plain);
  const bool own = plain == study.space.start();
  if ((!own && !prospect.assessment.legal) || prospect.work == nullptr) {
    return result;
  }
  SmSweep& sweep = result.sweep;
  sweep.dispatcher = dispatcher_of(axis)->moves.front();
  sweep.present = prospect.job->exchange.sms;
  const sim::SmSweep found =
      sim::sm_sweep(*prospect.work, study.world.constants.values, most_sms(axis));
  for (const sim::SmPoint& point : found.points) {
    sweep.points.push_back({point.sms, point.step});
  }
  if (sweep.points.empty()) {
    return result;
  }
  sweep.flat_from = found.flat_from;
  sweep.flat_to = found.flat_to;
  result.chosen = best_count(study, axis, plain, prospect, sweep);
  sweep.chosen = sweep.present;
  if (result.chosen != plain) {
    sweep.chosen = std::atoi(study.space.move(result.chosen, axis.name)->name.c_str());
  }
  Counts counts(prospect, study.world.constants.values);
  sweep.regret = regret_of(sweep, counts, study.world.constants);
  return result;
}

}  // namespace

int most_sms(const Axis& axis) {
  int most = 0;
  for (const Move& move : axis.moves) {
    most = std::max(most, std::atoi(move.name.c_str()));
  }
  return most;
}

std::vector<SmSweep> sm_sweeps(const Study& study, const Candidate* plan) {
  std::vector<SmSweep> sweeps;
  for (const Axis& axis : study.knowledge.axes) {
    const Condition* condition = dispatcher_of(axis);
    const int at = study.space.index(axis.name);
    if (condition == nullptr || at < 0) {
      continue;
    }
    const bool planned = plan != nullptr && has_dispatcher(study.space, *plan, *condition);
    const Candidate alone =
        study.space.with(study.space.start(), condition->axis, condition->moves.front());
    Candidate candidate = planned ? *plan : alone;
    candidate[static_cast<std::size_t>(at)] = 0;
    if (!study.space.possible(candidate)) {
      continue;
    }
    candidate = study.space.canonical(std::move(candidate));
    Swept each = swept(study, axis, candidate);
    each.sweep.of_plan = planned && candidate != alone;
    if (!each.sweep.points.empty()) {
      sweeps.push_back(std::move(each.sweep));
    }
  }
  return sweeps;
}

Candidate with_chosen_sms(const Study& study, Candidate candidate) {
  for (const Axis& axis : study.knowledge.axes) {
    const Condition* condition = dispatcher_of(axis);
    const int at = study.space.index(axis.name);
    if (condition == nullptr || at < 0 || !has_dispatcher(study.space, candidate, *condition) ||
        !study.space.dimensions()[static_cast<std::size_t>(at)].open) {
      continue;
    }
    Candidate plain = candidate;
    plain[static_cast<std::size_t>(at)] = 0;
    Swept each = swept(study, axis, study.space.canonical(std::move(plain)));
    if (!each.sweep.points.empty()) {
      candidate = std::move(each.chosen);
    }
  }
  return candidate;
}

}  // namespace epwise::advise
