#include "sim/step/sm_sweep.h"

#include <algorithm>
#include <iterator>

#include "sim/layer/layer_times.h"
#include "sim/step/candidates.h"

namespace epwise::sim {

SmSweep sm_sweep(const StepWork& work, const Constants& constants, int most) {
  SmSweep sweep;
  if (work.job->parallel.expert <= 1 || !model::deduplicates(work.job->exchange.dispatcher)) {
    return sweep;
  }
  constexpr int kFewest = 4;
  constexpr double kFlat = 1.005;
  sweep.own = work.job->exchange.sms;
  std::vector<int> counts;
  for (int sms = kFewest; sms <= most; sms += 2) {
    counts.push_back(sms);
  }
  if (sweep.own > 0 && std::ranges::find(counts, sweep.own) == counts.end()) {
    counts.push_back(sweep.own);
    std::ranges::sort(counts);
  }
  model::Workload job = *work.job;
  Candidates candidates(work.machine, constants, work.stated);
  for (const int sms : counts) {
    job.exchange.sms = sms;
    const StepWork& lowered = candidates.lower(job);
    sweep.points.push_back(
        {sms, evaluate(lowered, constants, {}).step, priced_exchange(lowered, constants)});
  }
  const auto best = std::ranges::min_element(sweep.points, {}, &SmPoint::step);
  sweep.best = best->sms;
  auto from = best;
  while (from != sweep.points.begin() && std::prev(from)->step <= kFlat * best->step) {
    --from;
  }
  auto to = best;
  while (std::next(to) != sweep.points.end() && std::next(to)->step <= kFlat * best->step) {
    ++to;
  }
  sweep.flat_from = from->sms;
  sweep.flat_to = to->sms;
  return sweep;
}

}  // namespace epwise::sim
