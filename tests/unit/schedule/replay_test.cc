#include "perf/schedule/replay.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "support/sampling.h"
#include "support/schedule_draw.h"

namespace epwise::schedule {

namespace {

using test::Draw;

/// An independent simulation: time advances to the next end of any slot, every stage looks whether
/// its next slot may start now. No order is worked out beforehand. Overlapped hops only.
double simulated(const Pipeline& pipeline, const PipelineCost& cost) {
  struct Stage {
    std::vector<Slot> slots;
    std::size_t next = 0;
    double free = 0;
  };

  std::vector<Stage> stages(static_cast<std::size_t>(pipeline.stages));
  for (std::size_t s = 0; s < stages.size(); ++s) {
    stages[s].slots = order(pipeline, static_cast<int>(s));
  }
  std::map<std::tuple<bool, int, int>, double> there;  // when outputs have reached their readers
  std::vector<double> moments = {0};
  double last = 0;
  const int positions = pipeline.positions();
  while (!moments.empty()) {
    std::ranges::sort(moments, std::greater<>());
    const double now = moments.back();
    moments.pop_back();
    for (std::size_t s = 0; s < stages.size(); ++s) {
      Stage& stage = stages[s];
      if (stage.next == stage.slots.size() || stage.free > now) {
        continue;
      }
      const Slot& slot = stage.slots[stage.next];
      const auto arrived = [&](bool forward, int micro_batch, int position) {
        const auto found = there.find({forward, micro_batch, position});
        return found != there.end() && found->second <= now;
      };
      const int f = pipeline.position(static_cast<int>(s), slot.forward.chunk);
      const int b = pipeline.position(static_cast<int>(s), slot.backward.chunk);
      if (slot.forward.present() && f > 0 && !arrived(true, slot.forward.micro_batch, f - 1)) {
        continue;
      }
      if (slot.backward.present() && b + 1 < positions &&
          !arrived(false, slot.backward.micro_batch, b + 1)) {
        continue;
      }
      SlotTime time;
      if (slot.paired()) {
        time = cost.pairs[(s * static_cast<std::size_t>(pipeline.chunks) +
                           static_cast<std::size_t>(slot.forward.chunk)) *
                              static_cast<std::size_t>(pipeline.chunks) +
                          static_cast<std::size_t>(slot.backward.chunk)];
      } else if (slot.forward.present()) {
        time.duration = cost.pieces[static_cast<std::size_t>(f)].forward;
      } else {
        time.duration = cost.pieces[static_cast<std::size_t>(b)].backward;
        time.backward_early = cost.pieces[static_cast<std::size_t>(b)].backward_early;
      }
      const double end = now + time.duration;
      if (slot.forward.present()) {
        const double at = end - time.forward_early + cost.hop.seconds;
        there[{true, slot.forward.micro_batch, f}] = at;
        moments.push_back(at);
      }
      if (slot.backward.present()) {
        const double at = end - time.backward_early + cost.hop.seconds;
        there[{false, slot.backward.micro_batch, b}] = at;
        moments.push_back(at);
      }
      stage.free = end;
      ++stage.next;
      moments.push_back(end);
      last = std::max(last, end);
    }
  }
  return last;
}

double replayed(const Pipeline& pipeline, const PipelineCost& cost) {
  return Replay(pipeline).run(cost).seconds;
}

}  // namespace

TEST_CASE("two stages, two micro-batches, by hand") {
  const Pipeline pipeline{.stages = 2, .micro_batches = 2};
  const auto durations = Draw::equal(pipeline, 1, 2, 3);
  Replay replay(pipeline);
  CHECK(replay.run(durations.cost()).seconds == doctest::Approx(9));
  std::vector<std::string> rows;
  for (const SlotSpan& span : replay.slots()) {
    rows.push_back(to_text({span.slot}, false) + "@" + std::to_string(span.stage) + " " +
                   std::to_string(static_cast<int>(span.start)) + "-" +
                   std::to_string(static_cast<int>(span.end)));
  }
  CHECK(rows == std::vector<std::string>{"F0@0 0-1",
                                         "F1@0 1-2",
                                         "F0@1 1-2",
                                         "B0@1 2-4",
                                         "F1@1 4-5",
                                         "B1@1 5-7",
                                         "B0@0 4-6",
                                         "B1@0 7-9"});
  CHECK(replay.busy(0) == doctest::Approx(6));
}

TEST_CASE("against a simulation that knows no order beforehand") {
  Draw draw(12);
  for (int round = 0; round < 1500 / test::sanitized_share(20); ++round) {
    const Pipeline pipeline = draw.pipeline(5, 12);
    const auto durations = draw.unequal(pipeline);
    PipelineCost cost = durations.cost();
    cost.hop.seconds = draw.coin() ? draw.real(0, 1) : 0;
    CHECK(replayed(pipeline, cost) == doctest::Approx(simulated(pipeline, cost)).epsilon(1e-12));
  }
}

TEST_CASE("no stage runs two slots at once; a step is no longer than all its work") {
  Draw draw(13);
  for (int round = 0; round < 500 / test::sanitized_share(10); ++round) {
    const Pipeline pipeline = draw.pipeline();
    const auto durations = draw.unequal(pipeline);
    PipelineCost cost = durations.cost();
    cost.hop = {draw.real(0, 1), draw.coin()};
    Replay replay(pipeline);
    const double step = replay.run(cost).seconds;
    std::vector<double> free(static_cast<std::size_t>(pipeline.stages), 0);
    for (const SlotSpan& span : replay.slots()) {
      double& until = free[static_cast<std::size_t>(span.stage)];
      CHECK(span.start >= until);
      CHECK(span.end >= span.start);
      until = span.end;
    }
    double work = 0;
    for (int stage = 0; stage < pipeline.stages; ++stage) {
      CHECK(replay.busy(stage) <= step + 1e-9);
      work += replay.busy(stage);
    }
    const double most_hops = static_cast<double>(replay.slots().size()) * 2 * cost.hop.seconds;
    CHECK(step <= work + most_hops + 1e-9);
  }
}

TEST_CASE("longer is never faster; scaled is scaled") {
  Draw draw(14);
  for (int round = 0; round < 500 / test::sanitized_share(10); ++round) {
    const Pipeline pipeline = draw.pipeline();
    auto durations = draw.unequal(pipeline);
    PipelineCost cost = durations.cost();
    cost.hop = {draw.real(0, 1), draw.coin()};
    Replay replay(pipeline);
    const double step = replay.run(cost).seconds;
    const auto longer = static_cast<std::size_t>(draw.whole(0, pipeline.positions() - 1));
    durations.pieces[longer].forward += draw.real(0, 1);
    CHECK(replay.run(cost).seconds >= step - 1e-9);
    durations.pieces[longer].forward += 0;
    const double again = replay.run(cost).seconds;
    for (auto& piece : durations.pieces) {
      piece = {piece.forward * 3, piece.backward * 3, piece.backward_early * 3};
    }
    for (auto& pair : durations.pairs) {
      pair = {pair.duration * 3, pair.forward_early * 3, pair.backward_early * 3, 0};
    }
    cost.hop.seconds *= 3;
    CHECK(replay.run(cost).seconds == doctest::Approx(3 * again));
  }
}

TEST_CASE("parameters come before the first forward, gradients leave behind the last backward") {
  const Pipeline pipeline{.micro_batches = 2};
  const auto durations = Draw::equal(pipeline, 4, 8, 12);
  const std::vector<double> gather = {2};
  const std::vector<double> reduce = {6};
  PipelineCost cost = durations.cost();
  cost.replicas = {gather, reduce, 1, false};
  cost.optimizer = 0.5;
  Replay replay(pipeline);
  ReplayedStep step = replay.run(cost);
  CHECK(step.first_gather == doctest::Approx(2));
  CHECK(step.pipeline == doctest::Approx(26));
  CHECK(step.reduce == doctest::Approx(6));
  CHECK(step.seconds == doctest::Approx(32.5));
  // In four buckets only the first is waited for, and only the last reduction shows.
  cost.replicas.buckets = 4;
  step = replay.run(cost);
  CHECK(step.first_gather == doctest::Approx(0.5));
  CHECK(step.reduce == doctest::Approx(1.5));
  // A gather that takes longer than its forward: all of it, and the last part's computation.
  const std::vector<double> slow = {10};
  cost.replicas.gather = slow;
  CHECK(replay.run(cost).first_gather == doctest::Approx(10 + 1 - 4));
}

TEST_CASE("aligned reductions begin some slots later") {
  const Pipeline pipeline{.stages = 2, .chunks = 2, .micro_batches = 4};
  const auto durations = Draw::equal(pipeline, 1, 2, 3);
  const std::vector<double> reduce = {1, 1, 1, 1};
  PipelineCost cost = durations.cost();
  cost.replicas.reduce = reduce;
  cost.replicas.aligned = true;
  const ReplayedStep step = Replay(pipeline).run(cost);
  CHECK(step.pipeline == doctest::Approx(27));
  CHECK(step.reduce == doctest::Approx(1));
}

}  // namespace epwise::schedule
