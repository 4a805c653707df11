#include "perf/workload/pipeline_layout.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

using epwise::workload::read_split;
using epwise::workload::Split;
using epwise::workload::split_layers;
using epwise::workload::SplitRequest;

std::vector<int> layers_of(const Split& split) {
  std::vector<int> layers;
  for (const auto& chunk : split.chunks) {
    layers.push_back(chunk.layers);
  }
  return layers;
}

SplitRequest request(int layers, int depths, int stages, int virtual_stages) {
  SplitRequest result;
  result.layers = layers;
  result.prediction_depths = depths;
  result.stages = stages;
  result.virtual_stages = virtual_stages;
  return result;
}

}  // namespace

TEST_CASE("layers that divide are split evenly") {
  const auto split = split_layers(request(48, 0, 4, 3));
  CHECK(layers_of(split) == std::vector<int>(12, 4));
  CHECK_FALSE(split.assumed);
  CHECK(split.chunks.front().embedding);
  CHECK(split.chunks.back().loss);
  CHECK(split.chunks.back().first == 44);
  CHECK(split.problem.empty());
}

TEST_CASE("an unstated split is that of the published layouts") {
  SUBCASE("DeepSeek-V3, four stages of four chunks: 4 a chunk, 3 in the first") {
    const auto split = split_layers(request(61, 1, 4, 4));
    CHECK(layers_of(split) == std::vector<int>{3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 2});
    CHECK(split.chunks.back().prediction_depths == 1);
    CHECK(split.assumed);
  }
  SUBCASE("Qwen3-235B, eight stages of four chunks: 3 a chunk") {
    const auto split = split_layers(request(94, 0, 8, 4));
    CHECK(split.chunks.size() == 32);
    CHECK(split.chunks[0].layers == 2);
    CHECK(split.chunks[1].layers == 3);
    CHECK(split.chunks.back().layers == 2);
  }
  SUBCASE("of eight stages without chunks: 12 each") {
    CHECK(layers_of(split_layers(request(94, 0, 8, 1))) ==
          std::vector<int>{11, 12, 12, 12, 12, 12, 12, 11});
  }
  SUBCASE("no layer is lost, and none counted twice") {
    for (int layers = 1; layers < 40; ++layers) {
      const auto split = split_layers(request(layers, layers % 3, 4, 2));
      int next = 0;
      for (const auto& chunk : split.chunks) {
        CHECK(chunk.first == next);
        next += chunk.layers;
      }
      CHECK(next == layers);
    }
  }
}

TEST_CASE("the end stages may have sizes of their own, which their chunks share") {
  auto wanted = request(61, 0, 4, 1);
  wanted.in_first_stage = 16;
  wanted.in_last_stage = 13;
  CHECK(layers_of(split_layers(wanted)) == std::vector<int>{16, 16, 16, 13});
  wanted.in_last_stage.reset();
  CHECK(layers_of(split_layers(wanted)) == std::vector<int>{16, 15, 15, 15});
  wanted = request(28, 0, 4, 2);
  wanted.in_first_stage = 4;
  CHECK(layers_of(split_layers(wanted)) == std::vector<int>{2, 4, 4, 4, 2, 4, 4, 4});
  wanted.in_first_stage = 5;
  CHECK_FALSE(split_layers(wanted).problem.empty());
}

TEST_CASE("embedding and loss may count as a layer") {
  auto wanted = request(30, 0, 4, 2);
  wanted.embedding_counts = true;
  wanted.loss_counts = true;
  CHECK(layers_of(split_layers(wanted)) == std::vector<int>{3, 4, 4, 4, 4, 4, 4, 3});
  wanted.layers = 29;
  CHECK_FALSE(split_layers(wanted).problem.empty());
}

TEST_CASE("a written layout names the layers of every chunk") {
  epwise::expr::Layout layout = epwise::expr::read_layout("Ettt|(tt|)*6t|mL");
  const auto split = read_split(layout, request(16, 1, 3, 1));
  CHECK(split.problem.empty());
  CHECK(layers_of(split) == std::vector<int>{3, 2, 2, 2, 2, 2, 2, 1, 0});
  CHECK(split.chunks.front().embedding);
  CHECK(split.chunks.back().prediction_depths == 1);
  CHECK(split.chunks.back().loss);
  CHECK_FALSE(split.assumed);
  CHECK_FALSE(read_split(layout, request(15, 1, 3, 1)).problem.empty());
  CHECK_FALSE(read_split(layout, request(16, 1, 4, 1)).problem.empty());
}

TEST_CASE("the text of a layout is short, and is read as the same layout") {
  using epwise::expr::layout_text;
  using epwise::expr::read_layout;
  CHECK(layout_text({"Ettt", "tt", "tt", "mL"}) == "Et*3|(t*2|)*2mL");
  CHECK(layout_text({"EtL"}) == "EtL");
  CHECK(layout_text({}).empty());
  for (const std::vector<std::string>& stages :
       std::vector<std::vector<std::string>>{{"E", "", "", "t", "L"},
                                             {"Et", "t", "t", "tmmL"},
                                             {"E", "t", "tt", "tt", "tt", "m", "m", "L"},
                                             {"tt", "tt", "tt"}}) {
    CHECK(read_layout(layout_text(stages)).stages == stages);
  }
}
