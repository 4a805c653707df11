#include "perf/schedule/step_tasks.h"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "perf/schedule/event_engine.h"
#include "perf/schedule/layer_pair.h"
#include "perf/schedule/replay.h"
#include "support/sampling.h"
#include "support/schedule_draw.h"

namespace epwise::schedule {

namespace {

using test::Draw;

/// A model of random layers over a pipeline, and what its slots take.
struct Model {
  std::vector<LayerCost> table;
  std::vector<std::vector<LayerRun>> runs;
  std::vector<ChunkCost> chunks;
  std::vector<PieceTime> pieces;
  std::vector<SlotTime> pairs;
};

Model draw_model(Draw& draw, const Pipeline& pipeline, double host, bool even) {
  Model model;
  model.table = {draw.layer(0.1, 1, host), draw.layer(0.1, 1, host)};
  for (int position = 0; position < pipeline.positions(); ++position) {
    model.runs.push_back({{0, even ? 2 : draw.whole(1, 2)}});
    if (!even) {
      model.runs.back().push_back({1, draw.whole(0, 2)});
    }
  }
  for (const auto& runs : model.runs) {
    ChunkCost chunk;
    chunk.layers = runs;
    model.chunks.push_back(chunk);
  }
  if (!even) {
    model.chunks.front().embedding_forward = {draw.real(0, 1), 0, 0};
    model.chunks.front().embedding_backward = {draw.real(0, 1), 0, 0};
    model.chunks.back().loss_forward = {draw.real(0, 1), 0, 0};
    model.chunks.back().loss_backward = {draw.real(0, 1), 0, 0};
  }
  return model;
}

void time_slots(Model& model, const Pipeline& pipeline, const IssueRules& rules) {
  for (const ChunkCost& chunk : model.chunks) {
    const SlotTime forward = slot_time(model.table, &chunk, nullptr, rules);
    const SlotTime backward = slot_time(model.table, nullptr, &chunk, rules);
    model.pieces.push_back({forward.duration, backward.duration, backward.backward_early});
  }
  for (int stage = 0; pipeline.ep_overlap && stage < pipeline.stages; ++stage) {
    for (int ahead = 0; ahead < pipeline.chunks; ++ahead) {
      for (int back = 0; back < pipeline.chunks; ++back) {
        const auto f = static_cast<std::size_t>(pipeline.position(stage, ahead));
        const auto b = static_cast<std::size_t>(pipeline.position(stage, back));
        model.pairs.push_back(slot_time(model.table, &model.chunks[f], &model.chunks[b], rules));
      }
    }
  }
}

LayeredStep layered(const Model& model, const IssueRules& rules) {
  LayeredStep step;
  step.table = model.table;
  step.chunks = model.chunks;
  step.rules = rules;
  step.host = false;
  return step;
}

PipelineCost slotted(const Model& model) {
  PipelineCost cost;
  cost.pieces = model.pieces;
  cost.pairs = model.pairs;
  return cost;
}

}  // namespace

TEST_CASE("tasks of whole chunks run as the replay says, with everything on") {
  Draw draw(30);
  for (int round = 0; round < 1500 / test::sanitized_share(20); ++round) {
    const Pipeline pipeline = draw.pipeline();
    const auto durations = draw.unequal(pipeline);
    PipelineCost cost = durations.cost();
    cost.hop = {draw.real(0, 1), draw.coin()};
    std::vector<double> gather;
    std::vector<double> reduce;
    for (int i = 0; i < pipeline.positions(); ++i) {
      gather.push_back(draw.real(0, 3));
      reduce.push_back(draw.real(0, 3));
    }
    if (draw.coin()) {
      cost.replicas = {gather, reduce, draw.whole(1, 4), draw.coin()};
    }
    cost.optimizer = draw.coin() ? 1.5 : 0;
    CHECK(run_time(slot_tasks(pipeline, cost)) ==
          doctest::Approx(Replay(pipeline).run(cost).seconds).epsilon(1e-12));
  }
}

TEST_CASE("tasks of nodes run as the replay of their slots' times says") {
  Draw draw(31);
  for (int round = 0; round < 400 / test::sanitized_share(20); ++round) {
    const Pipeline pipeline = draw.pipeline(4, 10);
    IssueRules rules;
    rules.delayed_wgrad = draw.coin();
    rules.early_release = draw.coin();
    rules.one_queue = draw.coin();
    Model model = draw_model(draw, pipeline, 0, false);
    time_slots(model, pipeline, rules);
    PipelineCost cost = slotted(model);
    cost.hop = {draw.real(0, 1), draw.coin()};
    cost.optimizer = 0.5;
    LayeredStep step = layered(model, rules);
    step.hop = cost.hop;
    step.optimizer = cost.optimizer;
    CHECK(run_time(node_tasks(pipeline, step)) ==
          doctest::Approx(Replay(pipeline).run(cost).seconds).epsilon(1e-12));
  }
}

TEST_CASE("one slot of nodes with its host runs as the recurrence says") {
  Draw draw(32);
  for (int round = 0; round < 500 / test::sanitized_share(20); ++round) {
    // One micro-batch: a forward alone, and then a backward that the host runs ahead into.
    const Pipeline pipeline{.micro_batches = 3, .ep_overlap = true};
    const IssueRules rules = draw.rules();
    const Model model = draw_model(draw, pipeline, draw.whole(0, 3), false);
    LayeredStep step = layered(model, rules);
    step.host = true;
    const ChunkCost* chunk = model.chunks.data();
    Clocks clocks;
    double seconds = slot_time(model.table, chunk, nullptr, rules, clocks).duration;
    seconds += slot_time(model.table, chunk, chunk, rules, clocks).duration;
    seconds += slot_time(model.table, chunk, chunk, rules, clocks).duration;
    seconds += slot_time(model.table, nullptr, chunk, rules, clocks).duration;
    CHECK(run_time(node_tasks(pipeline, step)) == doctest::Approx(seconds).epsilon(1e-12));
  }
}

TEST_CASE("a host that is ahead at a slot's start saves little, and never costs") {
  Draw draw(33);
  for (int round = 0; round < 60 / test::sanitized_share(10); ++round) {
    Pipeline pipeline{.stages = 4, .chunks = 2, .micro_batches = 16, .ep_overlap = true};
    pipeline.stages = draw.whole(1, 2) * 2;
    IssueRules rules;
    rules.delayed_wgrad = draw.coin();
    rules.launch_latency = 0.001;
    Model model = draw_model(draw, pipeline, 0.2, true);
    time_slots(model, pipeline, rules);
    LayeredStep step = layered(model, rules);
    step.host = true;
    const double slots = Replay(pipeline).run(slotted(model)).seconds;
    const double nodes = run_time(node_tasks(pipeline, step));
    CHECK(nodes <= slots + 1e-9);
    CHECK(nodes >= 0.96 * slots);
  }
}

TEST_CASE("conservation, streams and order in a timeline of nodes") {
  Draw draw(34);
  for (int round = 0; round < 60 / test::sanitized_share(10); ++round) {
    const Pipeline pipeline = draw.pipeline(3, 6);
    const IssueRules rules = draw.rules();
    const Model model = draw_model(draw, pipeline, 0.5, false);
    LayeredStep step = layered(model, rules);
    step.host = draw.coin();
    const bool contended = draw.coin() && !rules.one_queue;
    if (contended) {
      step.contention = {1.2, 1.4};
    }
    std::vector<double> exchange(static_cast<std::size_t>(pipeline.positions()), 1.0);
    step.replicas = {exchange, exchange, 1, draw.coin()};
    const Timeline timeline = run(node_tasks(pipeline, step));
    double expected = 0;
    for (const ChunkCost& chunk : model.chunks) {
      for (const LayerRun& run : chunk.layers) {
        expected += run.count * serial_time(model.table[static_cast<std::size_t>(run.layer)]);
      }
      expected += chunk.embedding_forward.gpu + chunk.embedding_backward.gpu +
                  chunk.loss_forward.gpu + chunk.loss_backward.gpu;
    }
    expected *= pipeline.micro_batches;
    double work = 0;
    double replica = 0;
    for (const TimelineEvent& event : timeline.events) {
      CHECK(event.end >= event.start + event.task.duration - 1e-9);
      const bool gpu = event.task.stream == Stream::compute || event.task.stream == Stream::comm;
      work += gpu ? event.task.duration : 0;
      replica += event.task.stream == Stream::replica ? event.task.duration : 0;
    }
    CHECK(work == doctest::Approx(expected));
    CHECK(replica == doctest::Approx(2.0 * pipeline.positions()));
    for (int stage = 0; stage < pipeline.stages; ++stage) {
      const double compute = busy_time(timeline, stage, Stream::compute);
      const double comm = busy_time(timeline, stage, Stream::comm);
      const double exposed = exposed_time(timeline, stage, Stream::comm, Stream::compute);
      CHECK(exposed <= comm + 1e-9);
      CHECK(compute + exposed <= timeline.seconds + 1e-9);
    }
  }
}

TEST_CASE("contention costs something, never less than nothing, and not more than its factor") {
  Draw draw(35);
  for (int round = 0; round < 40 / test::sanitized_share(10); ++round) {
    const Pipeline pipeline{.micro_batches = 4, .ep_overlap = true};
    const Model model = draw_model(draw, pipeline, 0, true);
    LayeredStep step = layered(model, {});
    const double calm = run_time(node_tasks(pipeline, step));
    step.contention = {1.3, 1.3};
    const double busy = run_time(node_tasks(pipeline, step));
    CHECK(busy >= calm - 1e-9);
    CHECK(busy <= 1.3 * calm + 1e-9);
  }
}

}  // namespace epwise::schedule
