#include "model/in_flight.h"

#include <algorithm>
#include <cassert>
#include <cstdint>

namespace epwise::model {

namespace {

/// The virtual stages that a stage runs forward, one after the other: groups of micro-batches, each
/// through all chunks.
class ForwardOrder {
 public:
  explicit ForwardOrder(const FlightPlan& plan)
      : plan_(plan),
        group_(std::min(plan.group, plan.microbatches)) {}

  int next() {
    const int chunk = chunk_;
    if (++in_group_ == group_) {
      in_group_ = 0;
      if (++chunk_ == plan_.virtual_stages) {
        chunk_ = 0;
        done_ += group_;
        group_ = std::max(1, std::min(plan_.group, plan_.microbatches - done_));
      }
    }
    return chunk;
  }

 private:
  FlightPlan plan_;
  int group_ = 1;
  int chunk_ = 0;
  int in_group_ = 0;
  int done_ = 0;  // micro-batches of earlier groups
};

int at_most_all(const FlightPlan& plan, std::int64_t chunks) {
  const std::int64_t all = std::int64_t{plan.microbatches} * plan.virtual_stages;
  return static_cast<int>(std::min({all, chunks, std::int64_t{1'000'000'000}}));
}

/// The same schedule with fewer of the rounds that repeat.
FlightPlan shortened(const FlightPlan& plan, int held) {
  const std::int64_t period = std::int64_t{plan.group} * plan.virtual_stages;
  const std::int64_t rounds = held / period + 2;
  FlightPlan result = plan;
  if (plan.microbatches / plan.group > rounds) {
    result.microbatches = static_cast<int>(rounds * plan.group + plan.microbatches % plan.group);
  }
  return result;
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
  const int behind = plan.stages - 1 - stage;
  std::int64_t chunks = behind;
  if (plan.stages > 1 && plan.virtual_stages > 1) {
    chunks = 2 * behind + std::int64_t{plan.virtual_stages - 1} * plan.group;
  }
  return at_most_all(plan, chunks + (plan.overlap ? 1 : 0));
}

int chunks_in_flight(const FlightPlan& plan, int stage) {
  return at_most_all(plan, std::int64_t{warm_up_chunks(plan, stage)} + (plan.overlap ? 0 : 1));
}

double peak_of_chunks(const FlightPlan& plan, int stage, std::span<const double> chunk_bytes) {
  assert(static_cast<int>(chunk_bytes.size()) == plan.virtual_stages);
  const int held = chunks_in_flight(plan, stage);
  const bool equal =
      std::ranges::all_of(chunk_bytes, [&](double bytes) { return bytes == chunk_bytes.front(); });
  if (equal) {
    return held * chunk_bytes.front();
  }
  const FlightPlan played = shortened(plan, held);
  const int rounds = played.microbatches * played.virtual_stages;
  ForwardOrder coming(played);
  ForwardOrder leaving(played);  // in the same order, last virtual stage first
  double now = 0;
  double peak = 0;
  for (int forward = 0; forward < rounds; ++forward) {
    if (forward >= held) {
      now -= chunk_bytes[static_cast<std::size_t>(plan.virtual_stages - 1 - leaving.next())];
    }
    now += chunk_bytes[static_cast<std::size_t>(coming.next())];
    peak = std::max(peak, now);
  }
  return peak;
}

}  // namespace epwise::model
