#include "model/activations.h"

#include <algorithm>

#include "model/expert_load.h"

namespace epwise::model {

namespace {

constexpr double kBf16 = 2;

/// Bytes of a value as a GEMM keeps its input for the weight gradient.
double kept_input(Precision precision) {
  switch (precision) {
    case Precision::bf16:
      return kBf16;
    case Precision::fp8_tensor:
      return 1;
    case Precision::fp8_block:
    case Precision::mxfp8:
      return 1 + 1.0 / 32;
    case Precision::nvfp4:
      break;
  }
  return 0.5 + 1.0 / 16;
}

/// Adds up what is kept; what a module recomputes is taken out and comes back for one layer.
class Sum {
 public:
  void keep(double bytes, bool recomputed = false, bool offloaded = false) {
    if (recomputed) {
      result_.recomputed += bytes;
    } else if (!offloaded) {
      result_.saved += bytes;
    }
  }

  void transient(double bytes) { result_.transient = std::max(result_.transient, bytes); }

  const LayerActivations& result() const { return result_; }

 private:
  LayerActivations result_;
};

/// Tokens whose hidden states a rank keeps outside of tensor-parallel regions.
double kept_tokens(const Workload& workload) {
  return workload.parallel.sequence ? workload.tokens() : workload.group_tokens();
}

void add_attention(const Workload& workload, Sum& sum) {
  const auto& a = workload.architecture.attention;
  const double tensor = workload.parallel.tensor;
  const double heads = a.heads / tensor;
  const double groups = std::max(1.0, a.groups / tensor);
  const double tokens = workload.group_tokens();
  const double queries = tokens * heads * a.head_dim * kBf16;
  const double keys = tokens * groups * a.head_dim * kBf16;
  const auto& offload = workload.offload;
  // Queries, keys and values as projected, and queries and keys with positions.
  sum.keep(queries * (a.output_gate ? 2 : 1) + 2 * keys, false, offload.queries_keys_values);
  sum.keep(queries + keys, false, offload.core_attention);
  sum.keep(queries, false, offload.attention_projection);  // output, the projection's input
  sum.keep(tokens * heads * 4);                            // log-sum-exp
  sum.transient(3 * queries + 2 * keys);
}

void add_latent(const Workload& workload, Sum& sum) {
  const auto& a = workload.architecture.latent;
  const double heads =
      static_cast<double>(workload.architecture.attention.heads) / workload.parallel.tensor;
  const double own = kept_tokens(workload);
  const double tokens = workload.group_tokens();
  const auto& offload = workload.offload;
  const bool again = workload.recompute.latent_projections;
  const double key = a.head_dim + a.rotary_dim;
  sum.keep(own * (a.query_rank + a.key_value_rank + a.rotary_dim) * kBf16);
  sum.keep(own * (a.query_rank + a.key_value_rank) * kBf16, again);  // behind their norms
  sum.keep(tokens * heads * (2 * key + a.value_dim) * kBf16, again, offload.core_attention);
  sum.keep(tokens * heads * a.value_dim * kBf16, false, offload.attention_projection);
  sum.keep(tokens * heads * 4);
  sum.transient(tokens * heads * (2 * key + 2 * a.value_dim) * kBf16);
}

void add_mamba(const Workload& workload, Sum& sum) {
  const auto& a = workload.architecture.mamba;
  const double tensor = workload.parallel.tensor;
  const double inner = a.heads / tensor * a.head_dim;
  const double states = std::max(1.0, a.groups / tensor) * a.state;
  const double tokens = workload.group_tokens();
  sum.keep(tokens * (2 * inner + 2 * states + a.heads / tensor) * kBf16);  // projected
  sum.keep(tokens * (inner + 2 * states) * kBf16);                         // behind the convolution
  sum.keep(tokens * inner * kBf16);  // of the scan, input of the gated norm
  sum.keep(tokens * inner * kept_input(workload.precision));
  constexpr double kChunk = 128;  // of the scan, whose states stand in fp32
  sum.keep(tokens / kChunk * inner * a.state * 4);
  sum.transient(4 * tokens * inner * kBf16);
}

void add_delta_net(const Workload& workload, Sum& sum) {
  const auto& a = workload.architecture.delta_net;
  const double tensor = workload.parallel.tensor;
  const double keys = static_cast<double>(a.key_heads) * a.key_dim / tensor;
  const double values = static_cast<double>(a.value_heads) * a.value_dim / tensor;
  const double tokens = workload.group_tokens();
  sum.keep(tokens * (2 * keys + 2 * values + 2 * a.value_heads / tensor) * kBf16);  // projected
  sum.keep(tokens * (2 * keys + values) * kBf16);  // behind the convolution
  // Keys and queries are normalised and repeated for the value heads.
  const double repeated = a.value_heads / tensor * a.key_dim;
  sum.keep(tokens * (2 * repeated + values) * kBf16);
  sum.keep(tokens * values * (kBf16 + kept_input(workload.precision)));  // output, its gated norm
  constexpr double kChunk = 64;
  sum.keep(tokens / kChunk * values * a.key_dim * kBf16);  // states of the scan
  sum.transient(4 * tokens * values * kBf16);
}

void add_mixer(const Workload& workload, Mixer mixer, Sum& sum) {
  if (mixer == Mixer::none) {
    return;
  }
  const double hidden = kept_tokens(workload) * workload.architecture.hidden;
  sum.keep(hidden * kBf16, false, workload.offload.attention_norm);
  sum.keep(hidden * kept_input(workload.precision), workload.recompute.norms);
  switch (mixer) {
    case Mixer::attention:
    case Mixer::windowed:
      add_attention(workload, sum);
      break;
    case Mixer::latent:
      add_latent(workload, sum);
      break;
    case Mixer::mamba:
      add_mamba(workload, sum);
      break;
    case Mixer::delta_net:
      add_delta_net(workload, sum);
      break;
    case Mixer::none:
      break;
  }
}

/// Around the activation of a dense MLP.
void add_mlp(const Workload& workload, double width, bool again, Sum& sum) {
  const double values = workload.group_tokens() * width / workload.parallel.tensor;
  const double before = workload.architecture.mlp_matrices() - 1;
  sum.keep(values * before * kBf16, again);
  sum.keep(values * kept_input(workload.precision), again);
  sum.transient(values * (before + 1) * kBf16);
}

/// A rank that a trained router loads more in one layer is loaded less in another: over the layers
/// of a stage less of the excess is left than of a layer's.
double held_excess(Balance balance) {
  constexpr double kNatural = 1.1;
  return balance == Balance::natural ? kNatural : 1;
}

void add_experts(const Workload& workload, Sum& sum) {
  const auto& model = workload.architecture;
  const auto load = expert_load(workload);
  const auto& recompute = workload.recompute;
  const auto& offload = workload.offload;
  const bool again = recompute.experts;
  const double input = kept_input(workload.precision);
  const double tokens = workload.tokens();
  const double width = model.dispatch_width();
  const double ffn = static_cast<double>(model.experts.ffn) / workload.parallel.expert_tensor;
  const double before = model.mlp_matrices() - 1;
  const double rows = load.rows * held_excess(workload.routing.balance);
  sum.keep(tokens * model.experts.count * 13, again);
  if (model.experts.latent > 0) {
    sum.keep(2 * tokens * width * input, again);
  }
  sum.keep(rows * width * input, again, offload.expert_input);
  sum.keep(rows * ffn * before * kBf16, again, offload.expert_activation);
  sum.keep(rows * ffn * input, again || recompute.expert_activation);
  sum.keep(rows * 4, again);  // probabilities
  sum.transient(rows * (2 * width + (before + 1) * ffn) * kBf16);
  if (model.experts.shared_ffn > 0) {
    add_mlp(workload, model.experts.shared_ffn, again || recompute.shared_expert, sum);
  }
}

void add_feed_forward(const Workload& workload, FeedForward feed_forward, Sum& sum) {
  if (feed_forward == FeedForward::none) {
    return;
  }
  const double hidden = kept_tokens(workload) * workload.architecture.hidden;
  const bool experts = feed_forward == FeedForward::experts;
  sum.keep(hidden * kBf16, false, workload.offload.feed_forward_norm);
  sum.keep(hidden * (experts ? kBf16 : kept_input(workload.precision)), workload.recompute.norms);
  if (experts) {
    add_experts(workload, sum);
  } else {
    add_mlp(workload, workload.architecture.dense_ffn, workload.recompute.dense_mlp, sum);
  }
}

}  // namespace

LayerActivations layer_activations(const Workload& workload, const Layer& layer) {
  Sum sum;
  add_mixer(workload, layer.mixer, sum);
  add_feed_forward(workload, layer.feed_forward, sum);
  return sum.result();
}

double checkpoint_bytes(const Workload& workload) {
  return kept_tokens(workload) * workload.architecture.hidden * kBf16;
}

LossActivations loss_activations(const Workload& workload) {
  const double logits =
      workload.group_tokens() * workload.architecture.padded_vocab / workload.parallel.tensor;
  const double each = workload.kernels.fused_loss ? 2 : 4;
  return {each * logits + 2 * checkpoint_bytes(workload), each * logits};
}

}  // namespace epwise::model
