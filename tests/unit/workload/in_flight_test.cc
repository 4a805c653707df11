#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "perf/workload/memory.h"

namespace {

using epwise::workload::chunks_in_flight;
using epwise::workload::FlightPlan;
using epwise::workload::peak_of_chunks;
using epwise::workload::warm_up_chunks;

/// The virtual stage of every chunk that a stage runs forward, in order: groups of micro-batches,
/// each through all chunks.
std::vector<int> forward_order(const FlightPlan& plan) {
  std::vector<int> order;
  for (int first = 0; first < plan.microbatches; first += plan.group) {
    const int last = std::min(plan.microbatches, first + plan.group);
    for (int chunk = 0; chunk < plan.virtual_stages; ++chunk) {
      for (int microbatch = first; microbatch < last; ++microbatch) {
        order.push_back(chunk);
      }
    }
  }
  return order;
}

struct Replay {
  int chunks = 0;
  double bytes = 0;
};

/// Plays the schedule: warm-up forwards, then a forward and a backward by turns, then backwards.
/// Under overlap a pair runs layer by layer, so that both together never hold more than one.
Replay replay(const FlightPlan& plan, int warm_up, const std::vector<double>& bytes) {
  const auto forward = forward_order(plan);
  const auto all = static_cast<int>(forward.size());
  Replay peak;
  int chunks = 0;
  double now = 0;
  int done = 0;
  int back = 0;
  const auto backward = [&] {
    const int chunk = plan.virtual_stages - 1 - forward[static_cast<std::size_t>(back++)];
    now -= bytes[static_cast<std::size_t>(chunk)];
    --chunks;
  };
  const auto run = [&] {
    now += bytes[static_cast<std::size_t>(forward[static_cast<std::size_t>(done++)])];
    ++chunks;
    peak.chunks = std::max(peak.chunks, chunks);
    peak.bytes = std::max(peak.bytes, now);
  };
  while (done < warm_up) {
    run();
  }
  while (done < all) {
    if (plan.overlap) {
      backward();
      run();
    } else {
      run();
      backward();
    }
  }
  while (back < all) {
    backward();
  }
  CHECK(chunks == 0);
  CHECK(now == doctest::Approx(0).epsilon(1e-9));
  return peak;
}

}  // namespace

TEST_CASE("chunks in flight of known layouts") {
  const FlightPlan plan{8, 4, 8, 64, false};
  CHECK(warm_up_chunks(plan, 0) == 38);
  CHECK(chunks_in_flight(plan, 0) == 39);
  CHECK(chunks_in_flight(plan, 7) == 25);
  const FlightPlan overlapped{8, 4, 8, 64, true};
  CHECK(warm_up_chunks(overlapped, 0) == 39);
  CHECK(chunks_in_flight(overlapped, 0) == 39);
  CHECK(chunks_in_flight({4, 1, 4, 16, false}, 0) == 4);
  CHECK(chunks_in_flight({4, 1, 4, 2, false}, 0) == 2);
  CHECK(chunks_in_flight({1, 1, 1, 16, false}, 0) == 1);
  CHECK(chunks_in_flight({1, 1, 1, 16, true}, 0) == 1);
}

TEST_CASE("counts and bytes agree with a replay of the schedule") {
  const std::vector<double> bytes{5, 7, 3, 11};
  int cases = 0;
  for (const int stages : {1, 2, 3, 4, 8}) {
    for (const int chunks : {1, 2, 3, 4}) {
      for (const int groups : {1, 2, 5}) {
        for (const bool overlap : {false, true}) {
          if (stages == 1 ? chunks > 1 : overlap && chunks == 1) {
            continue;
          }
          const FlightPlan plan{stages, chunks, stages, groups * stages, overlap};
          const std::vector<double> own(bytes.begin(), bytes.begin() + chunks);
          for (int stage = 0; stage < stages; ++stage) {
            CAPTURE(stages);
            CAPTURE(chunks);
            CAPTURE(groups);
            CAPTURE(overlap);
            CAPTURE(stage);
            const auto played = replay(plan, warm_up_chunks(plan, stage), own);
            CHECK(chunks_in_flight(plan, stage) == played.chunks);
            CHECK(peak_of_chunks(plan, stage, own) == doctest::Approx(played.bytes));
            ++cases;
          }
        }
      }
    }
  }
  CHECK(cases > 200);
}

TEST_CASE("a last group with fewer micro-batches is played as it comes") {
  const FlightPlan plan{4, 2, 4, 10, false};
  const std::vector<double> bytes{2, 9};
  for (int stage = 0; stage < 4; ++stage) {
    const auto played = replay(plan, warm_up_chunks(plan, stage), bytes);
    CHECK(peak_of_chunks(plan, stage, bytes) == doctest::Approx(played.bytes));
  }
}
