// What each tier of `schedule` costs, once, `repeats` times: run by tests/bench/schedule.py under
// callgrind, which subtracts what preparation costs. Prints the result so that nothing is optimised
// away, and the seconds taken for whoever runs it by hand.
//
//   bench_schedule pair|slot|uniform|unequal|replay|slots|nodes|contended|host REPEATS

#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "perf/schedule/closed_form.h"
#include "perf/schedule/event_engine.h"
#include "perf/schedule/layer_pair.h"
#include "perf/schedule/replay.h"
#include "perf/schedule/step_tasks.h"

namespace epwise {

namespace {

using namespace schedule;

/// 94 layers over 16 stages of one chunk, 64 micro-batches; combined 1F1B over as many of two
/// chunks.
struct Bench {
  std::vector<LayerCost> table = {LayerCost{}, LayerCost{}};
  std::vector<LayerRun> runs = {{0, 1}, {1, 5}};
  std::vector<LayerRun> half = {{1, 3}};
  std::vector<LayerRun> stack = {{0, 3}, {1, 91}};
  std::vector<ChunkCost> chunks;
  std::vector<PieceTime> pieces;
  std::vector<SlotTime> pairs;
  IssueRules rules;
  Pipeline plain{.stages = 16, .micro_batches = 64};
  Pipeline combined{.stages = 16, .chunks = 2, .micro_batches = 64, .ep_overlap = true};
};

Bench prepared(const Pipeline Bench::*which) {
  Bench bench;
  for (std::size_t layer = 0; layer < bench.table.size(); ++layer) {
    for (std::size_t node = 0; node < kNodeCount; ++node) {
      bench.table[layer].nodes[node] = {
          1e-3 + 1e-5 * static_cast<double>(node + layer), 2e-4, 1e-4};
    }
  }
  bench.table[0].exchanges = false;
  bench.rules.delayed_wgrad = true;
  bench.rules.sync = HostSync::before_dispatch;
  bench.rules.launch_latency = 1e-5;
  const Pipeline& pipeline = bench.*which;
  for (int i = 0; i < pipeline.positions(); ++i) {
    ChunkCost chunk;
    chunk.layers = pipeline.chunks > 1 ? bench.half : bench.runs;
    bench.chunks.push_back(chunk);
    bench.pieces.push_back({6e-3 + 1e-6 * i, 12e-3, 0});
    for (int j = 0; j < pipeline.chunks; ++j) {
      bench.pairs.push_back({14e-3 + 1e-6 * i, 0, 0, 0});
    }
  }
  return bench;
}

LayeredStep layered(const Bench& bench) {
  LayeredStep step;
  step.table = bench.table;
  step.chunks = bench.chunks;
  step.rules = bench.rules;
  step.host = false;
  return step;
}

PipelineCost slotted(const Bench& bench) {
  PipelineCost cost;
  cost.pieces = bench.pieces;
  cost.pairs = bench.pairs;
  cost.hop.seconds = 1e-4;
  return cost;
}

/// One round of a tier.
double round_of(const std::string& tier, Bench& bench, Replay& replay) {
  if (tier == "pair") {
    return pair_period(bench.table[1], bench.rules);
  }
  if (tier == "slot") {
    ChunkCost chunk;
    chunk.layers = bench.stack;
    return slot_time(bench.table, &chunk, &chunk, bench.rules).duration;
  }
  if (tier == "uniform") {
    return uniform_step(bench.combined, {6e-3, 12e-3, 14e-3, {1e-4, true}}).seconds;
  }
  if (tier == "unequal") {
    return unequal_step(bench.combined, slotted(bench)).seconds;
  }
  if (tier == "replay") {
    return replay.run(slotted(bench)).seconds;
  }
  if (tier == "slots") {
    return run(slot_tasks(replay.pipeline(), slotted(bench))).seconds;
  }
  LayeredStep step = layered(bench);
  step.host = tier == "host";
  if (tier == "contended") {
    step.contention = {1.2, 1.3};
  }
  return run(node_tasks(replay.pipeline(), step)).seconds;
}

}  // namespace

}  // namespace epwise

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print("bench_schedule TIER REPEATS\n");
    return 2;
  }
  using epwise::Bench;
  const std::string tier = argv[1];
  const int repeats = std::atoi(argv[2]);
  const bool plain = tier == "slots" || tier == "nodes" || tier == "contended" || tier == "host";
  const auto which = plain ? &Bench::plain : &Bench::combined;
  Bench bench = epwise::prepared(which);
  epwise::schedule::Replay replay(bench.*which);
  double sum = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) {
    bench.table[1].nodes[0].gpu += 1e-9;
    sum += epwise::round_of(tier, bench, replay);
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  fmt::print("{} {} rounds, {:.3f} us each, sum {:.6f} s\n",
             tier,
             repeats,
             1e6 * taken.count() / (repeats > 0 ? repeats : 1),
             sum);
  return 0;
}
