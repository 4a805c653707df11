#include "perf/workload/parameters.h"

#include <algorithm>
#include <cmath>

namespace epwise::workload {

namespace {

/// For a layer's mixer: the part divided by tensor parallelism, and the part replicated on every
/// rank.
struct Divided {
  double shared_out = 0;
  double whole = 0;
};

Divided mixer_parameters(const Architecture& model, Mixer mixer) {
  const double h = model.hidden;
  const double q = static_cast<double>(model.attention.heads) * model.attention.head_dim;
  const double kv = static_cast<double>(model.attention.groups) * model.attention.head_dim;
  switch (mixer) {
    case Mixer::attention:
    case Mixer::windowed:
      return {h * (q * (model.attention.output_gate ? 2 : 1) + 2 * kv) + q * h, 0};
    case Mixer::latent: {
      const auto& a = model.latent;
      const double n = model.attention.heads;
      const double key = a.head_dim + a.rotary_dim;
      const double up = a.key_value_rank * n * (a.head_dim + a.value_dim) + n * a.value_dim * h;
      const double down = h * (a.key_value_rank + a.rotary_dim);
      return a.query_rank > 0 ? Divided{up + a.query_rank * n * key, down + h * a.query_rank}
                              : Divided{up + h * n * key, down};
    }
    case Mixer::delta_net: {
      const auto& a = model.delta_net;
      const double keys = static_cast<double>(a.key_heads) * a.key_dim;
      const double values = static_cast<double>(a.value_heads) * a.value_dim;
      return {h * (2 * keys + 2 * values + 2 * a.value_heads) + values * h +
                  a.convolution * (2 * keys + values) + 2 * a.value_heads,
              0};
    }
    case Mixer::mamba: {
      const auto& a = model.mamba;
      const double inner = static_cast<double>(a.heads) * a.head_dim;
      const double states = static_cast<double>(a.groups) * a.state;
      return {h * (2 * inner + 2 * states + a.heads) + inner * h + 4 * (inner + 2 * states) +
                  3 * a.heads + inner,
              0};
    }
    case Mixer::none:
      break;
  }
  return {};
}

/// Held by one rank for a layer.
RankParameters layer_share(const Workload& workload, const Layer& layer) {
  const Architecture& model = workload.architecture;
  const auto& parallel = workload.parallel;
  const auto all = layer_parameters(model, layer);
  const auto mixer = mixer_parameters(model, layer.mixer);
  const bool experts = layer.feed_forward == FeedForward::experts;
  const double latent = experts ? 2.0 * model.hidden * model.experts.latent : 0;
  RankParameters share;
  share.dense = (mixer.shared_out + all.dense_mlp + all.shared - latent) / parallel.tensor +
                mixer.whole + all.router + latent + all.norms;
  share.expert = all.experts / parallel.expert / parallel.expert_tensor;
  const double local = std::max(1, model.experts.count / parallel.expert);
  share.tensors = (layer.mixer == Mixer::none ? 0 : 5) + (experts ? 2 * local + 3 : 0) +
                  (layer.feed_forward == FeedForward::dense ? 3 : 0);
  return share;
}

void add_parameters(const RankParameters& share, int times, RankParameters& sum) {
  sum.dense += times * share.dense;
  sum.expert += times * share.expert;
  sum.tensors += times * share.tensors;
}

}  // namespace

LayerParameters layer_parameters(const Architecture& model, const Layer& layer) {
  LayerParameters result;
  const double h = model.hidden;
  const double matrices = model.mlp_matrices();
  const auto mixer = mixer_parameters(model, layer.mixer);
  result.mixer = mixer.shared_out + mixer.whole;
  if (layer.mixer != Mixer::none) {
    result.norms += h;
  }
  if (layer.mixer == Mixer::latent) {
    result.norms += model.latent.query_rank + model.latent.key_value_rank;
  }
  if (layer.feed_forward == FeedForward::none) {
    return result;
  }
  result.norms += h;
  if (layer.feed_forward == FeedForward::dense) {
    result.dense_mlp = matrices * h * model.dense_ffn;
    return result;
  }
  const auto& experts = model.experts;
  result.router = h * experts.count;
  result.shared =
      matrices * h * experts.shared_ffn + (experts.shared_gate ? h : 0) + 2 * h * experts.latent;
  result.experts =
      matrices * model.dispatch_width() * experts.ffn * static_cast<double>(experts.count);
  return result;
}

VisionParameters vision_parameters(const Architecture& model) {
  const VisionEncoder& vision = model.vision;
  if (vision.layers == 0) {
    return {};
  }
  const double h = vision.hidden;
  const double merged = h * vision.merged();
  const double layer = 4 * h * h + (vision.gated ? 3 : 2) * h * vision.ffn + 2 * h;
  return {vision.layers * layer + vision.patch_values() * h,
          vision.projections * (merged * merged + merged * model.hidden)};
}

double trained_vision(const Workload& workload) {
  const VisionEncoder& vision = workload.architecture.vision;
  const VisionParameters all = vision_parameters(workload.architecture);
  const double ranks = vision.split ? workload.parallel.tensor : 1;
  return ((vision.frozen ? 0 : all.encoder) + (vision.projection_frozen ? 0 : all.projections)) /
         ranks;
}

Workload vision_workload(const Workload& workload) {
  const VisionEncoder& vision = workload.architecture.vision;
  Workload encoder;
  Architecture& shape = encoder.architecture;
  shape.hidden = vision.hidden;
  shape.dense_ffn = vision.ffn;
  shape.gated = vision.gated;
  constexpr double kMost = 100'000'000;  // what no recipe reaches
  shape.sequence = static_cast<int>(std::min(kMost, std::ceil(vision.patches)));
  shape.attention.heads = vision.heads;
  shape.attention.groups = vision.heads;
  shape.attention.head_dim = vision.hidden / std::max(1, vision.heads);
  shape.layers = {{Mixer::attention, FeedForward::dense}};
  const double images = workload.batch.micro * vision.images /
                        (vision.shared ? std::max(1, workload.parallel.context) : 1);
  encoder.batch.micro = static_cast<int>(std::min(kMost, std::ceil(images)));
  encoder.parallel.tensor = vision.split ? workload.parallel.tensor : 1;
  encoder.optimizer.gradient = workload.optimizer.gradient;
  encoder.kernels.fused_rope = false;
  encoder.kernels.fused_residual = false;
  encoder.kernels.fused_activation = false;
  encoder.kernels.fused_accumulation = vision.split && workload.kernels.fused_accumulation;
  return encoder;
}

ModelParameters model_parameters(const Architecture& model) {
  ModelParameters result;
  const double embeddings =
      (model.tied_embeddings ? 1.0 : 2.0) * model.vocab * static_cast<double>(model.hidden);
  result.total = embeddings;
  result.active = embeddings;
  for (const auto& layer : model.layers) {
    const auto part = layer_parameters(model, layer);
    result.total += part.total();
    result.active += part.replicated();
    if (model.experts.count > 0) {
      result.active += part.experts * model.experts.topk / model.experts.count;
    }
  }
  return result;
}

RankParameters rank_parameters(const Workload& workload, int stage) {
  LayerTable<RankParameters> shares;
  return rank_parameters(workload, stage, shares);
}

RankParameters rank_parameters(const Workload& workload,
                               int stage,
                               LayerTable<RankParameters>& shares) {
  const Architecture& model = workload.architecture;
  const auto& parallel = workload.parallel;
  const double h = model.hidden;
  const double matrix = model.padded_vocab * h / parallel.tensor;
  const auto share = [&](const Layer& layer) -> const RankParameters& {
    return shares.get(layer, [&](const Layer& kind) { return layer_share(workload, kind); });
  };
  RankParameters sum;
  for (std::size_t c = static_cast<std::size_t>(stage); c < parallel.chunks.size();
       c += static_cast<std::size_t>(parallel.pipeline)) {
    const Chunk& chunk = parallel.chunks[c];
    for (int i = 0; i < chunk.layers; ++i) {
      add_parameters(share(model.layers[static_cast<std::size_t>(chunk.first + i)]), 1, sum);
    }
    for (const auto& layer : model.prediction) {
      add_parameters(share(layer), chunk.prediction_depths, sum);
    }
    sum.dense += chunk.prediction_depths * (2 * h * h / parallel.tensor + 3 * h);
    // MTP needs the input embedding, and keeps a copy on its stage.
    const bool reads = chunk.embedding || chunk.prediction_depths > 0;
    const bool writes = chunk.loss && !(model.tied_embeddings && reads);
    sum.embedding += matrix * ((reads ? 1 : 0) + (writes ? 1 : 0));
    sum.tensors += (reads ? 1 : 0) + (writes ? 2 : 0);
    if (chunk.embedding && model.vision.layers > 0) {
      constexpr double kTensors = 12;  // of a layer, with biases
      const VisionParameters vision = vision_parameters(model);
      sum.vision +=
          (vision.encoder + vision.projections) / (model.vision.split ? parallel.tensor : 1);
      sum.tensors += trained_vision(workload) > 0 ? kTensors * model.vision.layers : 0;
    }
  }
  sum.dense += sum.embedding + sum.vision;
  return sum;
}

}  // namespace epwise::workload
