#include "model/in_flight.h"

#include <algorithm>
#include <cassert>

namespace epwise::model {

namespace {

/// The virtual stage of the k-th chunk that a stage runs forward.
int virtual_stage(const FlightPlan& plan, int k) {
  const int round = plan.group * plan.virtual_stages;
  const int done = k / round * plan.group;  // micro-batches of earlier rounds
  const int group = std::min(plan.group, plan.microbatches - done);
  return k % round / std::max(1, group);
}

}  // namespace

FlightPlan flight_plan(const Workload& workload) {
  const auto& parallel = workload.parallel;
  return {parallel.pipeline,
          parallel.virtual_stages,
          std::max(1, std::min(parallel.chunk_group, workload.batch.microbatches)),
          workload.batch.microbatches,
          workload.exchange.overlap};
}

int warm_up_chunks(const FlightPlan& plan, int stage) {
  const int all = plan.microbatches * plan.virtual_stages;
  const int behind = plan.stages - 1 - stage;
  int chunks = behind;
  if (plan.stages > 1 && plan.virtual_stages > 1) {
    chunks = 2 * behind + (plan.virtual_stages - 1) * plan.group;
  }
  return std::min(all, chunks + (plan.overlap ? 1 : 0));
}

int chunks_in_flight(const FlightPlan& plan, int stage) {
  const int all = plan.microbatches * plan.virtual_stages;
  return std::min(all, warm_up_chunks(plan, stage) + (plan.overlap ? 0 : 1));
}

double peak_of_chunks(const FlightPlan& plan, int stage, std::span<const double> chunk_bytes) {
  assert(static_cast<int>(chunk_bytes.size()) == plan.virtual_stages);
  const int held = chunks_in_flight(plan, stage);
  const bool equal =
      std::ranges::all_of(chunk_bytes, [&](double bytes) { return bytes == chunk_bytes.front(); });
  if (equal) {
    return held * chunk_bytes.front();
  }
  const int all = plan.microbatches * plan.virtual_stages;
  const int rounds = std::min(all, held + 2 * plan.group * plan.virtual_stages);
  double now = 0;
  double peak = 0;
  for (int forward = 0; forward < rounds; ++forward) {
    if (forward >= held) {  // the oldest backward chunk leaves, last virtual stage first
      now -= chunk_bytes[static_cast<std::size_t>(plan.virtual_stages - 1 -
                                                  virtual_stage(plan, forward - held))];
    }
    now += chunk_bytes[static_cast<std::size_t>(virtual_stage(plan, forward))];
    peak = std::max(peak, now);
  }
  return peak;
}

}  // namespace epwise::model
