#include "schedule/replica_exposure.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "schedule/replay.h"
#include "support/sampling.h"
#include "support/schedule_draw.h"

namespace epwise::schedule {

namespace {

ReplayedStep replayed(const Pipeline& pipeline,
                      const UniformCost& uniform,
                      const UniformReplicas& replicas) {
  const auto durations =
      test::Draw::equal(pipeline, uniform.forward, uniform.backward, uniform.pair);
  const auto positions = static_cast<std::size_t>(pipeline.positions());
  const std::vector<double> gather(positions, replicas.gather);
  const std::vector<double> reduce(positions, replicas.reduce);
  PipelineCost cost = durations.cost();
  cost.hop = uniform.hop;
  cost.replicas = {gather, reduce, replicas.buckets, replicas.aligned};
  return Replay(pipeline).run(cost);
}

}  // namespace

TEST_CASE("one stage, by hand") {
  const Pipeline pipeline{.micro_batches = 2};
  const UniformCost cost{4, 8, 0, {}};
  ReplicaExposure exposure = replica_exposure(pipeline, cost, {2, 6, 1, false});
  CHECK(exposure.gather == doctest::Approx(2));
  CHECK(exposure.reduce == doctest::Approx(6));
  exposure = replica_exposure(pipeline, cost, {2, 6, 4, false});
  CHECK(exposure.gather == doctest::Approx(0.5));
  CHECK(exposure.reduce == doctest::Approx(1.5));
  CHECK(exposure.exact);
}

TEST_CASE("against the replay: exact where it says so, near elsewhere") {
  test::Draw draw(40);
  int exact = 0;
  for (int round = 0; round < 4000 / test::sanitized_share(20); ++round) {
    const Pipeline pipeline = draw.pipeline(6, 24);
    UniformCost cost;
    cost.forward = draw.real(0.5, 1.5);
    cost.backward = draw.real(0.5, 3);
    cost.pair = std::max(cost.forward, cost.backward) + draw.real(0, 0.5);
    cost.hop.seconds = draw.coin() ? draw.real(0, 0.3) : 0;
    UniformReplicas replicas;
    replicas.gather = draw.coin() ? draw.real(0, 4) : 0;
    replicas.reduce = draw.coin() ? draw.real(0, 6) : 0;
    replicas.buckets = draw.whole(1, 5);
    replicas.aligned = draw.coin();
    const ReplicaExposure exposure = replica_exposure(pipeline, cost, replicas);
    const double step = uniform_step(pipeline, cost).seconds + exposure.gather + exposure.reduce;
    const double truth = replayed(pipeline, cost, replicas).seconds;
    CHECK(exposure.gather >= 0);
    CHECK(exposure.reduce >= 0);
    if (exposure.exact) {
      CHECK(step == doctest::Approx(truth).epsilon(1e-10));
      ++exact;
    } else {
      CHECK(std::abs(step / truth - 1) < 0.3);
    }
  }
  CHECK(exact > 500 / test::sanitized_share(20));
}

}  // namespace epwise::schedule
