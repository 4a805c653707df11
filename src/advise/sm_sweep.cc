#include "sim/step/sm_sweep.h"

#include <algorithm>

#include "advise/decision.h"
#include "advise/dispatcher_table.h"
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

}  // namespace

std::vector<SmSweep> sm_sweeps(const Study& study) {
  std::vector<SmSweep> sweeps;
  for (const Axis& axis : study.knowledge.axes) {
    if (!axis.sweep || axis.with.empty() || axis.with.front().moves.size() != 1) {
      continue;
    }
    const Condition& condition = axis.with.front();
    const Candidate candidate =
        study.space.with(study.space.start(), condition.axis, condition.moves.front());
    if (!study.space.possible(candidate)) {
      continue;
    }
    const Prospect prospect = study.assessor.prospect(candidate);
    const bool own = study.space.canonical(candidate) == study.space.start();
    if ((!own && !prospect.assessment.legal) || prospect.work == nullptr) {
      continue;
    }
    SmSweep sweep;
    sweep.dispatcher = condition.moves.front();
    sweep.present = prospect.job->exchange.sms;
    const sim::SmSweep found = sim::sm_sweep(*prospect.work, study.world.constants.values);
    for (const sim::SmPoint& point : found.points) {
      sweep.points.push_back({point.sms, point.step});
    }
    sweep.flat_from = found.flat_from;
    sweep.flat_to = found.flat_to;
    sweep.chosen = found.flat_from;
    if (sweep.points.empty()) {
      continue;
    }
    Counts counts(prospect, study.world.constants.values);
    sweep.regret = regret_of(sweep, counts, study.world.constants);
    sweeps.push_back(std::move(sweep));
  }
  return sweeps;
}

}  // namespace epwise::advise
