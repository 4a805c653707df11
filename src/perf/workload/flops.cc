#include "perf/workload/flops.h"

#include <algorithm>

namespace epwise::workload {

namespace {

constexpr double kTraining = 6;  // two FLOPs per multiply-add, once forward and twice backward

double attention_flops(const Architecture& model, bool windowed) {
  const auto& a = model.attention;
  const double h = model.hidden;
  const double q = static_cast<double>(a.heads) * a.head_dim;
  const double kv = static_cast<double>(a.groups) * a.head_dim;
  const double sequence = model.sequence;
  double seen = sequence;  // twice the average number of keys
  if (windowed && a.window > 0) {
    const double window = std::min<double>(a.window, sequence);
    seen = 2 * (window - window * (window - 1) / (2 * sequence));
  }
  return kTraining * (h * (q * (a.output_gate ? 2 : 1) + 2 * kv) + q * h + q * seen);
}

double latent_flops(const Architecture& model) {
  const auto& a = model.latent;
  const double h = model.hidden;
  const double n = model.attention.heads;
  const double key = a.head_dim + a.rotary_dim;
  const double queries = a.query_rank > 0 ? a.query_rank * (h + n * key + 1) : h * n * key;
  const double keys = a.key_value_rank * (h + n * (a.head_dim + a.value_dim) + 1);
  const double core = model.sequence * n * (key + a.value_dim) / 2;
  return kTraining * (queries + keys + h * a.rotary_dim + n * a.value_dim * h + core);
}

double delta_flops(const Architecture& model) {
  const auto& a = model.delta_net;
  const double h = model.hidden;
  const double keys = static_cast<double>(a.key_heads) * a.key_dim;
  const double values = static_cast<double>(a.value_heads) * a.value_dim;
  return kTraining *
         (h * (2 * keys + 2 * values + 2 * a.value_heads) + a.convolution * (2 * keys + values) +
          4.0 * a.value_heads * a.value_dim * a.value_dim + h * values);
}

double mamba_flops(const Architecture& model) {
  const auto& a = model.mamba;
  const double h = model.hidden;
  const double state = a.state;
  return 3 * (2 * h * (4 * h + 2.0 * a.groups * state + a.heads) + 14 * h * state + 4 * h * h);
}

bool is_hybrid(const Architecture& model) {
  return std::ranges::any_of(model.layers, [](const Layer& layer) {
    return layer.mixer == Mixer::none || layer.feed_forward == FeedForward::none;
  });
}

double layer_flops(const Architecture& model, const Layer& layer) {
  return mixer_flops(model, layer.mixer) + feed_forward_flops(model, layer.feed_forward);
}

}  // namespace

double mixer_flops(const Architecture& model, Mixer mixer) {
  switch (mixer) {
    case Mixer::attention:
      return attention_flops(model, false);
    case Mixer::windowed:
      return attention_flops(model, true);
    case Mixer::latent:
      return latent_flops(model);
    case Mixer::delta_net:
      return delta_flops(model);
    case Mixer::mamba:
      return mamba_flops(model);
    case Mixer::none:
      break;
  }
  return 0;
}

double feed_forward_flops(const Architecture& model, FeedForward feed_forward) {
  const double h = model.hidden;
  const double matrices = model.mlp_matrices();
  if (feed_forward == FeedForward::dense) {
    return kTraining * matrices * h * model.dense_ffn;
  }
  if (feed_forward == FeedForward::none) {
    return 0;
  }
  const auto& experts = model.experts;
  const double routed = matrices * model.dispatch_width() * experts.ffn * experts.topk;
  const double shared = matrices * h * experts.shared_ffn;
  const double projections = experts.latent > 0 ? 2 * h * experts.latent : 0;
  return kTraining * (routed + shared + projections);
}

double flops_per_token(const Architecture& model) {
  double total = 0;
  for (const auto& layer : model.layers) {
    total += layer_flops(model, layer);
  }
  const double h = model.hidden;
  for (const auto& layer : model.prediction) {
    total += model.prediction_depths * layer_flops(model, layer);
  }
  if (!is_hybrid(model)) {
    total += model.prediction_depths * kTraining * (3 * h + 2 * h * h);
  }
  return total + kTraining * h * model.padded_vocab * (1 + model.prediction_depths);
}

}  // namespace epwise::workload
