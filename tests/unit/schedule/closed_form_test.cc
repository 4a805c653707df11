#include "perf/schedule/closed_form.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "perf/schedule/replay.h"
#include "support/sampling.h"
#include "support/schedule_draw.h"

namespace epwise::schedule {

namespace {

using test::Draw;

UniformCost draw_cost(Draw& draw, double most_hop) {
  UniformCost cost;
  cost.forward = draw.real(0.2, 1.2);
  cost.backward = draw.real(0.2, 2.2);
  const double shorter = std::min(cost.forward, cost.backward);
  cost.pair = cost.forward + cost.backward - shorter * draw.real(0, 1);
  cost.hop = {shorter * most_hop * draw.real(0, 1), draw.whole(0, 3) > 0};
  return cost;
}

double replayed_uniform(const Pipeline& pipeline, const UniformCost& uniform) {
  const auto durations = Draw::equal(pipeline, uniform.forward, uniform.backward, uniform.pair);
  PipelineCost cost = durations.cost();
  cost.hop = uniform.hop;
  return Replay(pipeline).run(cost).seconds;
}

}  // namespace

TEST_CASE("equal chunks: the formula is the replay, wherever it says so") {
  Draw draw(15);
  int exact = 0;
  int inexact = 0;
  for (int round = 0; round < 6000 / test::sanitized_share(20); ++round) {
    const Pipeline pipeline = draw.pipeline(8, 40);
    UniformCost cost = draw_cost(draw, draw.whole(0, 3) == 0 ? 2 : 1);
    if (draw.coin()) {
      cost.hop.seconds = 0;
    }
    const StepEstimate step = uniform_step(pipeline, cost);
    CHECK(step.seconds ==
          doctest::Approx(step.work + step.bubble + step.unpaired + step.hops).epsilon(1e-12));
    const double truth = replayed_uniform(pipeline, cost);
    if (step.exact) {
      CHECK_MESSAGE(step.seconds == doctest::Approx(truth).epsilon(1e-10),
                    pipeline.stages << " " << pipeline.chunks << " " << pipeline.micro_batches
                                    << " " << pipeline.group << " " << pipeline.ep_overlap << " "
                                    << cost.hop.seconds << " " << cost.hop.overlapped);
      ++exact;
    } else {
      CHECK(std::abs(step.seconds - truth) < 0.5 * truth);
      ++inexact;
    }
  }
  CHECK(exact > 8 * inexact);
}

TEST_CASE("small pipelines, all of them") {
  for (int stages = 1; stages <= 4; ++stages) {
    for (int chunks = 1; chunks <= 3; ++chunks) {
      for (int micro_batches = 1; micro_batches <= 9; ++micro_batches) {
        for (int group = 0; group <= micro_batches; ++group) {
          for (const bool overlap : {false, true}) {
            const Pipeline pipeline{stages, chunks, micro_batches, group, overlap};
            if (!defect(pipeline).empty() || (chunks == 1 && group > 0)) {
              continue;
            }
            for (const double hop : {0.0, 0.25}) {
              const UniformCost cost{1, 2, 2.5, {hop, true}};
              const StepEstimate step = uniform_step(pipeline, cost);
              const double truth = replayed_uniform(pipeline, cost);
              CHECK((step.exact || hop > 0));
              CHECK(std::abs(step.seconds - truth) <= (step.exact ? 1e-9 : hop + 1e-9));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("known formulas") {
  const UniformCost cost{1, 2, 2.5, {}};
  for (int stages = 1; stages <= 8; ++stages) {
    for (int micro_batches = stages; micro_batches <= 32; micro_batches += 3) {
      const Pipeline pipeline{.stages = stages, .micro_batches = micro_batches};
      const StepEstimate step = uniform_step(pipeline, cost);
      CHECK(step.bubble / step.seconds ==
            doctest::Approx((stages - 1.0) / (micro_batches + stages - 1.0)));
    }
  }
  const StepEstimate four = uniform_step({.stages = 4, .micro_batches = 8}, cost);
  CHECK(four.seconds == doctest::Approx(33));
  CHECK(four.bubble == doctest::Approx(9));
  const Pipeline combined{.stages = 4, .chunks = 2, .micro_batches = 8, .ep_overlap = true};
  CHECK(paired_slots(combined) == 11);
  CHECK(uniform_step(combined, cost).seconds == doctest::Approx(16 * 2.5 + 3 * 3 + 5 * 0.5));
  CHECK(paired_slots({.micro_batches = 8, .ep_overlap = true}) == 7);
}

TEST_CASE("overlap that hides nothing costs what no overlap costs") {
  Draw draw(16);
  for (int round = 0; round < 500; ++round) {
    Pipeline pipeline = draw.pipeline();
    UniformCost cost = draw_cost(draw, 0);
    cost.pair = cost.forward + cost.backward;
    const double step = uniform_step(pipeline, cost).seconds;
    if (pipeline.stages > 1 && pipeline.chunks == 1) {
      continue;
    }
    pipeline.ep_overlap = !pipeline.ep_overlap;
    CHECK(uniform_step(pipeline, cost).seconds == doctest::Approx(step));
  }
}

TEST_CASE("unequal chunks: exact without a pipeline, an upper bound in 1F1B, near elsewhere") {
  Draw draw(17);
  double worst = 0;
  double sum = 0;
  int count = 0;
  for (int round = 0; round < 3000 / test::sanitized_share(20); ++round) {
    const Pipeline pipeline = draw.pipeline(8, 64);
    auto durations = Draw::equal(pipeline, 1, 2, 2.6);
    for (auto& piece : durations.pieces) {
      piece.forward *= draw.real(0.9, 1.1);
      piece.backward *= draw.real(0.9, 1.1);
    }
    for (auto& pair : durations.pairs) {
      pair.duration *= draw.real(0.9, 1.1);
    }
    const PipelineCost cost = durations.cost();
    const StepEstimate step = unequal_step(pipeline, cost);
    const double truth = Replay(pipeline).run(cost).seconds;
    if (step.exact) {
      CHECK(step.seconds == doctest::Approx(truth).epsilon(1e-10));
      continue;
    }
    if (pipeline.chunks == 1) {
      CHECK(step.seconds >= truth - 1e-9);
    }
    const double error = std::abs(step.seconds / truth - 1);
    worst = std::max(worst, error);
    sum += error;
    ++count;
  }
  CHECK(sum / count < 0.02);
  CHECK(worst < 0.08);
}

TEST_CASE("1F1B: exact when the last stage is the slowest") {
  Draw draw(18);
  for (int round = 0; round < 500; ++round) {
    const Pipeline pipeline{.stages = draw.whole(2, 8), .micro_batches = draw.whole(8, 40)};
    auto durations = draw.unequal(pipeline);
    for (auto& piece : durations.pieces) {
      piece.backward_early = 0;
    }
    durations.pieces.back() = {2, 4, 0};
    const PipelineCost cost = durations.cost();
    CHECK(unequal_step(pipeline, cost).seconds ==
          doctest::Approx(Replay(pipeline).run(cost).seconds).epsilon(1e-10));
  }
}

}  // namespace epwise::schedule
