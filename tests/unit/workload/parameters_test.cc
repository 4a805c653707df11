#include "perf/workload/parameters.h"

#include <doctest/doctest.h>

#include "support/workloads.h"

namespace {

using epwise::workload::Chunk;
using epwise::workload::FeedForward;
using epwise::workload::Layer;
using epwise::workload::layer_parameters;
using epwise::workload::Mixer;
using epwise::workload::rank_parameters;
using epwise::workload::Workload;

/// Four layers, one dense, over two stages; experts over four ranks.
Workload workload() {
  Workload result;
  auto& model = result.architecture;
  model.hidden = 256;
  model.dense_ffn = 512;
  model.gated = true;
  model.vocab = 1000;
  model.padded_vocab = 1024;
  model.sequence = 128;
  model.attention = {.heads = 8, .groups = 4, .head_dim = 32};
  model.experts = {.count = 16, .topk = 4, .ffn = 64, .shared_ffn = 128};
  model.layers = std::vector<Layer>(4, {Mixer::attention, FeedForward::experts});
  model.layers[0].feed_forward = FeedForward::dense;
  auto& parallel = result.parallel;
  parallel.gpus = 8;
  parallel.pipeline = 2;
  parallel.expert = 4;
  parallel.data = 4;
  parallel.chunks = {{0, 2, 0, true, false}, {2, 2, 0, false, true}};
  return result;
}

}  // namespace

TEST_CASE("a Mixtral layer") {
  epwise::workload::Architecture model;
  model.hidden = 4096;
  model.gated = true;
  model.attention = {.heads = 32, .groups = 8, .head_dim = 128};
  model.experts = {.count = 8, .topk = 2, .ffn = 14336};
  const auto layer = layer_parameters(model, {Mixer::attention, FeedForward::experts});
  CHECK(layer.mixer == 41943040);
  CHECK(layer.router == 32768);
  CHECK(layer.experts == 1409286144);
  CHECK(layer.norms == 8192);
}

TEST_CASE("parameters of all ranks are the model's, times the replication") {
  auto model = workload();
  for (const int tensor : {1, 2}) {
    CAPTURE(tensor);
    model.parallel.tensor = tensor;
    double whole = 2.0 * 1024 * 256;
    double norms_and_routers = 0;
    for (const auto& layer : model.architecture.layers) {
      const auto part = layer_parameters(model.architecture, layer);
      whole += part.total();
      norms_and_routers += part.norms + part.router;
    }
    double held = 0;
    for (int stage = 0; stage < 2; ++stage) {
      const auto rank = rank_parameters(model, stage);
      held += rank.dense * tensor + rank.expert * model.parallel.expert;
    }
    CHECK(held == doctest::Approx(whole + (tensor - 1) * norms_and_routers));
  }
}

TEST_CASE("stages hold the embeddings that they use") {
  auto model = workload();
  CHECK(rank_parameters(model, 0).embedding == 1024 * 256);
  CHECK(rank_parameters(model, 1).embedding == 1024 * 256);
  model.parallel.pipeline = 1;
  model.parallel.chunks = {{0, 4, 0, true, true}};
  CHECK(rank_parameters(model, 0).embedding == 2 * 1024 * 256);
  model.architecture.tied_embeddings = true;
  CHECK(rank_parameters(model, 0).embedding == 1024 * 256);
}

namespace {

/// An encoder in front of the small model.
Workload with_vision() {
  Workload result = workload();
  result.architecture.vision = epwise::test::vision_encoder();
  return result;
}

}  // namespace

TEST_CASE("an encoder of images stands on the stage with the embedding") {
  Workload model = with_vision();
  const auto all = epwise::workload::vision_parameters(model.architecture);
  CHECK(all.encoder == 27 * (4.0 * 1152 * 1152 + 2.0 * 1152 * 4304 + 2 * 1152) + 6 * 256.0 * 1152);
  CHECK(all.projections == 4 * (4608.0 * 4608 + 4608.0 * 256));
  const double first = rank_parameters(model, 0).dense - rank_parameters(workload(), 0).dense;
  CHECK(first == doctest::Approx(all.encoder + all.projections));
  CHECK(rank_parameters(model, 1).dense == rank_parameters(workload(), 1).dense);
  model.parallel.tensor = 2;
  CHECK(rank_parameters(model, 0).vision == doctest::Approx(first));
  model.architecture.vision.split = true;
  CHECK(rank_parameters(model, 0).vision == doctest::Approx(first / 2));
}

TEST_CASE("what is frozen has no gradients and states") {
  Workload model = with_vision();
  const auto all = epwise::workload::vision_parameters(model.architecture);
  CHECK(epwise::workload::trained_vision(model) == all.encoder + all.projections);
  model.architecture.vision.frozen = true;
  CHECK(epwise::workload::trained_vision(model) == all.projections);
  model.architecture.vision.projection_frozen = true;
  CHECK(epwise::workload::trained_vision(model) == 0);
}
