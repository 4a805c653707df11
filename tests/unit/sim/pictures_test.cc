// What the page draws: a layer at its pace, and the dispatcher's SMs.

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "perf/sim/layer/layer_times.h"
#include "perf/sim/layer/prices.h"
#include "perf/sim/step/candidates.h"
#include "perf/sim/step/step.h"
#include "perf/sim/step/step_nodes.h"
#include "support/lowered_step.h"

namespace epwise::sim {
namespace {

struct LoweredPicture : test::LoweredStep {
  explicit LoweredPicture(const std::string& more, const std::string& rest = {})
      : LoweredStep(
            test::small_recipe("  expert_model_parallel_size: 16\n" + more, rest), "h100", 16) {}
};

const std::string kDelayedOverlap =
    "comm_overlap: {overlap_moe_expert_parallel_comm: true, delay_wgrad_compute: true}\n";

TEST_CASE("without overlap a layer's pictures add up to the layer") {
  const LoweredPicture all("  moe_token_dispatcher_type: alltoall\n");
  const auto pictures = steady_layers(all.work, constants().values);
  REQUIRE(pictures.size() == 2);
  const StepTimes times = evaluate(all.work, constants().values, {});
  for (const SteadyLayers& picture : pictures) {
    CHECK(schedule::exposed_time(
              picture.timeline, 0, schedule::Stream::comm, schedule::Stream::compute) ==
          doctest::Approx(schedule::busy_time(picture.timeline, 0, schedule::Stream::comm)));
    for (const schedule::TimelineEvent& event : picture.timeline.events) {
      CHECK(event.start >= 0);
      CHECK(event.end <= picture.timeline.seconds * (1 + 1e-9));
    }
  }
  CHECK(pictures[1].timeline.seconds == doctest::Approx(times.layer.backward).epsilon(0.03));
}

TEST_CASE("with overlap two layers of either direction share the streams") {
  const LoweredPicture all("  moe_token_dispatcher_type: alltoall\n", kDelayedOverlap);
  const auto pictures = steady_layers(all.work, constants().values);
  REQUIRE(pictures.size() == 1);
  const schedule::Timeline& timeline = pictures[0].timeline;
  CHECK(pictures[0].delayed_weights);
  CHECK(pictures[0].layers == 2);
  const double comm = schedule::busy_time(timeline, 0, schedule::Stream::comm);
  CHECK(schedule::exposed_time(timeline, 0, schedule::Stream::comm, schedule::Stream::compute) <
        0.8 * comm);
  const auto exchanges = std::ranges::count_if(timeline.events, [](const auto& event) {
    return event.task.stream == schedule::Stream::comm;
  });
  CHECK(exchanges == 8);
  // Nothing is missing at the ends: two such windows are what four layers take.
  const double compute = schedule::busy_time(timeline, 0, schedule::Stream::compute);
  const LayerTimes times = layer_times(all.work,
                                       all.work.mixer,
                                       constants().values,
                                       prices_of(all.work, constants().values, {}),
                                       {});
  CHECK(compute > 1.9 * times.compute());
}

TEST_CASE("a sweep holds the recipe's own number, its best, and what is as good") {
  const LoweredPicture all(
      "  moe_token_dispatcher_type: flex\n  moe_flex_dispatcher_backend: hybridep\n"
      "  moe_flex_dispatcher_num_sms: 32\n",
      kDelayedOverlap);
  const SmSweep sweep = sm_sweep(all.work, constants().values);
  REQUIRE(sweep.points.size() == 31);
  CHECK(sweep.own == 32);
  CHECK(sweep.flat_from <= sweep.best);
  CHECK(sweep.best <= sweep.flat_to);
  const double best = std::ranges::find(sweep.points, sweep.best, &SmPoint::sms)->step;
  for (const SmPoint& point : sweep.points) {
    CHECK(point.step >= best);
    const bool flat = point.sms >= sweep.flat_from && point.sms <= sweep.flat_to;
    CHECK((!flat || point.step <= 1.005 * best));
    if (point.sms == 32) {
      CHECK(point.step == evaluate(all.work, constants().values, {}).step);
    }
  }
  CHECK(sweep.points.front().exchange > sweep.points.back().exchange);
  const LoweredPicture nccl("  moe_token_dispatcher_type: alltoall\n");
  CHECK(sm_sweep(nccl.work, constants().values).points.empty());
}

}  // namespace
}  // namespace epwise::sim
