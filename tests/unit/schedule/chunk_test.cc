#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "perf/schedule/pipeline_cost.h"
#include "support/schedule_draw.h"

namespace epwise::schedule {

namespace {

LayerCost chunk_layer() {
  LayerCost layer;
  for (auto& node : layer.nodes) {
    node.gpu = 1;
  }
  return layer;
}

}  // namespace

TEST_CASE("a slot of two even layers without weight gradients") {
  std::vector<LayerCost> table = {chunk_layer()};
  table[0][Node::experts_wgrad].gpu = 0;
  table[0][Node::attention_wgrad].gpu = 0;
  const LayerRun runs[] = {{0, 2}};
  ChunkCost chunk;
  chunk.layers = runs;
  CHECK(layer_count(chunk) == 2);
  const SlotTime time = slot_time(table, &chunk, &chunk, {});
  CHECK(time.duration == doctest::Approx(8));
  CHECK(time.forward_early == doctest::Approx(0));
  CHECK(time.backward_early == doctest::Approx(0));
}

TEST_CASE("the first layer's attention wgrad runs behind the sends") {
  const std::vector<LayerCost> table = {chunk_layer()};
  const LayerRun runs[] = {{0, 3}};
  ChunkCost chunk;
  chunk.layers = runs;
  IssueRules rules;
  rules.delayed_wgrad = true;
  CHECK(slot_time(table, nullptr, &chunk, rules).backward_early == doctest::Approx(1));
  chunk.embedding_backward.gpu = 5;
  CHECK(slot_time(table, nullptr, &chunk, rules).backward_early == doctest::Approx(6));
  chunk.loss_forward.gpu = 2;
  CHECK(slot_time(table, &chunk, nullptr, rules).forward_early == doctest::Approx(2));
}

TEST_CASE("alone, a slot takes what its parts take one after the other") {
  test::Draw draw(9);
  for (int round = 0; round < 200; ++round) {
    const std::vector<LayerCost> table = {draw.layer(0, 1), draw.layer(0, 1)};
    const LayerRun runs[] = {{0, draw.whole(0, 3)}, {1, draw.whole(1, 4)}, {0, 1}};
    ChunkCost chunk;
    chunk.layers = runs;
    chunk.embedding_forward.gpu = draw.real(0, 1);
    chunk.embedding_backward.gpu = draw.real(0, 1);
    chunk.loss_forward.gpu = draw.real(0, 1);
    chunk.loss_backward.gpu = draw.real(0, 1);
    double forward = chunk.embedding_forward.gpu + chunk.loss_forward.gpu;
    double backward = chunk.embedding_backward.gpu + chunk.loss_backward.gpu;
    for (const LayerRun& run : runs) {
      forward += run.count * forward_time(table[static_cast<std::size_t>(run.layer)]);
      backward += run.count * backward_time(table[static_cast<std::size_t>(run.layer)]);
    }
    IssueRules rules;
    rules.early_release = draw.coin();
    const double f = slot_time(table, &chunk, nullptr, rules).duration;
    const double b = slot_time(table, nullptr, &chunk, rules).duration;
    const double both = slot_time(table, &chunk, &chunk, rules).duration;
    CHECK(f == doctest::Approx(forward));
    CHECK(b == doctest::Approx(backward));
    CHECK(both <= f + b + 1e-12);
    CHECK(both >= std::max(f, b) - 1e-12);
    rules.delayed_wgrad = true;
    CHECK(slot_time(table, nullptr, &chunk, rules).duration <= b + 1e-12);
  }
}

TEST_CASE("chunks of unequal length: the rest runs alone, backward layers first") {
  const std::vector<LayerCost> table = {chunk_layer()};
  const LayerRun three[] = {{0, 3}};
  const LayerRun one[] = {{0, 1}};
  ChunkCost longer;
  longer.layers = three;
  ChunkCost shorter;
  shorter.layers = one;
  const double pair = slot_time(table, &shorter, &shorter, {}).duration;
  CHECK(slot_time(table, &shorter, &longer, {}).duration == doctest::Approx(pair + 2 * 6));
  CHECK(slot_time(table, &longer, &shorter, {}).duration == doctest::Approx(pair + 2 * 4));
  // The forward is over long before the backward's rest.
  CHECK(slot_time(table, &shorter, &longer, {}).forward_early > 10);
}

TEST_CASE("a host that is ahead hides its work in the next slot") {
  std::vector<LayerCost> table = {chunk_layer()};
  for (auto& node : table[0].nodes) {
    node.host = 0.5;
  }
  const LayerRun runs[] = {{0, 2}};
  ChunkCost chunk;
  chunk.layers = runs;
  IssueRules rules;
  rules.launch_latency = 0.25;
  Clocks clocks;
  const SlotTime first = slot_time(table, &chunk, nullptr, rules, clocks);
  const SlotTime second = slot_time(table, &chunk, nullptr, rules, clocks);
  CHECK(first.duration == doctest::Approx(8.25));
  CHECK(second.duration == doctest::Approx(8));
  CHECK(second.host == doctest::Approx(8));
}

}  // namespace epwise::schedule
