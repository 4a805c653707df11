#include "perf/sim/work/layer_work.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "perf/cost/collective.h"
#include "perf/cost/exchange.h"
#include "perf/sim/work/kernel_times.h"
#include "perf/sim/work/work.h"
#include "perf/workload/parameters.h"
#include "perf/workload/workload.h"

namespace epwise::sim {

/// A linear layer: `rows` of width `in` become width `out`.
struct Linear {
  double rows = 0;
  double out = 0;
  double in = 0;
};

/// What all linear layers of a recipe have in common.
struct LinearSetting {
  const workload::Workload& job;
  const KernelTimes& times;
  workload::Precision precision;
};

LinearSetting linears(const workload::Workload& job, const KernelTimes& times) {
  return {job, times, job.precision};
}

/// GEMMs of both directions, the accumulation of the weight gradient in its buffer, and the
/// quantisation of input and gradient.
void add_linear(Piece& piece, const LinearSetting& on, const Linear& layer);

/// The same for all local experts at once; `layer.rows` are the rows per expert.
void add_expert_linear(Piece& piece, const LinearSetting& on, double experts, const Linear& layer);

namespace {

using workload::Precision;

/// Bytes that quantisation moves per element of an operand: the BF16 value is read (once more for a
/// scale of the whole tensor), rows and columns are written.
double quantised_bytes(Precision precision) {
  switch (precision) {
    case Precision::bf16:
      return 0;
    case Precision::mxfp8:
      return 4.1;
    case Precision::fp8_tensor:
      return 6.0;
    case Precision::fp8_block:
      return 5.0;
    case Precision::nvfp4:
      return 5.5;
  }
  return 0;
}

void add_quantisation(Piece& piece,
                      const KernelTimes& times,
                      Precision precision,
                      double groups,
                      const Linear& layer,
                      double operations) {
  if (precision == Precision::bf16) {
    return;
  }
  constexpr double kPerTensor = 1;  // block scales are put in the GEMM's order for all at once
  const double kernels = groups + kPerTensor;
  const double bytes = quantised_bytes(precision) * groups * layer.rows;
  piece.forward.memory += times.quantise(bytes * layer.in);
  piece.data.memory += times.quantise(bytes * layer.out);
  for (Work* work : {&piece.forward, &piece.data}) {
    work->quantisations += operations;
    work->kernels += kernels;
  }
}

}  // namespace

/// A weight gradient that its GEMM does not accumulate is written in BF16, and added to the buffer
/// by a kernel of its own.
void add_accumulation(Piece& piece, const LinearSetting& on, double tensors, double elements) {
  if (on.job.kernels.fused_accumulation) {
    return;
  }
  piece.weights.memory += on.times.elementwise((kBf16 + on.job.optimizer.gradient) * elements);
  add_launches(piece.weights, tensors, tensors);
}

void add_linear(Piece& piece, const LinearSetting& on, const Linear& layer) {
  const auto& [rows, out, in] = layer;
  const KernelTimes& times = on.times;
  piece.forward.dense += times.gemm(on.precision, rows, out, in);
  piece.data.dense += times.gemm(on.precision, rows, in, out);
  piece.weights.dense += times.gemm(on.precision, out, in, rows) +
                         times.elementwise(on.job.optimizer.gradient * out * in);
  for (Work* work : {&piece.forward, &piece.data, &piece.weights}) {
    work->kernels += 1;
    work->operations += 1;
  }
  add_quantisation(piece, times, on.precision, 1, layer, 1);
  add_accumulation(piece, on, 1, out * in);
}

/// Experts one after the other: a GEMM each.
void add_single_experts(Piece& piece,
                        const LinearSetting& on,
                        double experts,
                        const Linear& layer) {
  // As in a group of them, which streams 6 bytes of a weight's gradient.
  constexpr double kStreamed = 6;
  const double left = std::max(0.0, kStreamed - on.job.optimizer.gradient);
  Piece one;
  add_linear(one, on, layer);
  one.weights.dense += on.times.elementwise(left * layer.out * layer.in);
  for (auto direction : {&Piece::forward, &Piece::data, &Piece::weights}) {
    Work& work = one.*direction;
    work.grouped = work.dense;
    work.dense = 0;
  }
  piece.add(one, experts);
}

void add_expert_linear(Piece& piece, const LinearSetting& on, double experts, const Linear& layer) {
  using cost::GemmStage;
  if (!on.job.kernels.grouped_experts) {
    add_single_experts(piece, on, experts, layer);
    return;
  }
  const auto& [rows, out, in] = layer;
  const KernelTimes& times = on.times;
  const Precision precision = on.precision;
  const bool fused = on.job.kernels.fused_experts;
  piece.forward.grouped +=
      times.grouped_gemm(precision, GemmStage::forward, experts, rows, out, in, fused);
  piece.data.grouped +=
      times.grouped_gemm(precision, GemmStage::data_gradient, experts, rows, in, out, fused);
  piece.weights.grouped +=
      times.grouped_gemm(precision, GemmStage::weight_gradient, experts, rows, out, in, fused);
  for (Work* work : {&piece.forward, &piece.data, &piece.weights}) {
    work->kernels += experts;
    work->expert_products += experts;
  }
  add_quantisation(piece, times, precision, experts, layer, 1 + 0.5 * experts);
  add_accumulation(piece, on, experts, experts * out * in);
}

namespace {

/// Common to all kinds.
struct AttentionSetting {
  const workload::Workload& job;
  const Sizes& sizes;
  const KernelTimes& times;

  double hidden() const { return job.architecture.hidden; }

  int tp() const { return job.parallel.tensor; }

  void linear(Piece& piece, double rows, double out, double in) const {
    add_linear(piece, linears(job, times), {rows, out, in});
  }
};

/// Passes over `bytes` that an unfused kernel adds, with their launches; `share` of them forward.
void add_passes(Piece& piece, const KernelTimes& times, double passes, double share, double bytes) {
  piece.forward.memory += times.elementwise(share * passes * bytes);
  piece.data.memory += times.elementwise((1 - share) * passes * bytes);
  const double launches = passes / 2;  // a kernel reads and writes
  add_launches(piece.forward, share * launches, share * launches);
  add_launches(piece.data, (1 - share) * launches, (1 - share) * launches);
}

constexpr double kHalf = 0.5;

void add_rotation(const AttentionSetting& on, Piece& piece, double width) {
  if (!on.job.kernels.fused_rope) {
    add_passes(piece,
               on.times,
               on.times.constants().unfused_rope,
               kHalf,
               on.sizes.group_tokens * width * kBf16);
  }
}

void add_residual(const workload::Workload& job,
                  const Sizes& sizes,
                  const KernelTimes& times,
                  Piece& piece) {
  if (!job.kernels.fused_residual) {
    add_passes(piece,
               times,
               times.constants().unfused_residual,
               kHalf,
               sizes.rank_tokens * job.architecture.hidden * kBf16);
  }
}

/// `bytes`: of the activation's output.
void add_activation(const workload::Workload& job,
                    const KernelTimes& times,
                    Piece& piece,
                    double bytes) {
  constexpr double kForward = 0.2;
  if (!job.kernels.fused_activation) {
    add_passes(piece, times, times.constants().unfused_activation, kForward, bytes);
  }
}

/// Input norm, residual, and the collectives of tensor (sequence) parallelism around the layer.
Piece frame(const AttentionSetting& on) {
  const double width = on.sizes.rank_tokens * on.hidden() * kBf16;
  Piece piece;
  piece.forward.memory += on.times.norm(width * 5);
  piece.data.memory += on.times.norm(width * 7);
  add_launches(piece.forward, 5, 3);
  add_launches(piece.data, 5, 4);
  add_residual(on.job, on.sizes, on.times, piece);
  if (on.tp() > 1) {
    const double gather = on.times.all_gather(on.sizes.group_tokens * on.hidden() * kBf16, on.tp());
    piece.forward.collective += 2 * gather;
    piece.data.collective += 3 * gather;
    add_launches(piece.forward, 2, 0);
    add_launches(piece.data, 3, 0);
  }
  return piece;
}

/// The exposed wait of context-parallel ranks for a split sequence. `bytes`: received by each of
/// them in the forward; in the backward their gradients are sent too. The ring passes keys and
/// values on while the previous ones are used: only the excess is exposed.
void add_context(
    const AttentionSetting& on, Piece& piece, double bytes, double forward, double backward) {
  const int ranks = on.job.parallel.context;
  if (ranks <= 1) {
    return;
  }
  const double behind = static_cast<double>(ranks - 1) / ranks;
  const double exchange = on.times.strided_all_gather(bytes, ranks, on.tp());
  piece.forward.collective += std::max(0.0, exchange - behind * forward);
  piece.data.collective += std::max(0.0, 2 * exchange - behind * backward);
  add_launches(piece.forward, ranks - 1, ranks - 1);
  add_launches(piece.data, ranks - 1, ranks - 1);
}

/// `key_value`: elements of keys and values of one token.
void add_core(const AttentionSetting& on, Piece& piece, AttentionShape shape, double key_value) {
  shape.seq = on.job.architecture.sequence;
  shape.tokens = on.sizes.group_tokens;
  shape.backward = false;
  const double forward = on.times.attention(shape);
  shape.backward = true;
  const double backward = on.times.attention(shape);
  piece.forward.attention += forward;
  piece.data.attention += backward;
  const double sequence = on.sizes.group_tokens * on.job.parallel.context;
  add_context(on, piece, sequence * key_value * kBf16, forward, backward);
}

Piece latent(const AttentionSetting& on) {
  const workload::LatentAttention& mla = on.job.architecture.latent;
  const double heads = static_cast<double>(on.job.architecture.attention.heads) / on.tp();
  const double tokens = on.sizes.group_tokens;
  const double own = on.sizes.rank_tokens;
  const double query = mla.head_dim + mla.rotary_dim;
  Piece piece = frame(on);
  if (mla.query_rank > 0) {
    on.linear(piece, own, mla.query_rank, on.hidden());
    on.linear(piece, tokens, heads * query, mla.query_rank);
  } else {
    on.linear(piece, tokens, heads * query, on.hidden());
  }
  on.linear(piece, own, mla.key_value_rank + mla.rotary_dim, on.hidden());
  on.linear(piece, tokens, heads * (mla.head_dim + mla.value_dim), mla.key_value_rank);
  on.linear(piece, tokens, on.hidden(), heads * mla.value_dim);
  AttentionShape shape;
  shape.heads = heads;
  shape.head_dim_qk = query;
  shape.head_dim_v = mla.value_dim;
  add_core(on, piece, shape, heads * (query + mla.value_dim));
  // Rotary positions, concatenation, and copies of queries and keys.
  const double bytes = 2 * tokens * (heads * query * 2 * kBf16 + heads * mla.value_dim * kBf16);
  piece.forward.memory += on.times.elementwise(bytes);
  piece.data.memory += on.times.elementwise(1.3 * bytes);
  add_launches(piece.forward, 17, 12);
  add_launches(piece.data, 14, 14);
  add_rotation(on, piece, (heads + 1) * mla.rotary_dim);
  return piece;
}

/// Bytes of convolution, chunks of the scan, and gated norm; the backward streams 2.6 times as
/// much.
void add_scan(const AttentionSetting& on, Piece& piece, double bytes) {
  piece.forward.scan += on.times.scan(bytes);
  piece.data.scan += on.times.scan(2.6 * bytes);
}

Piece mamba(const AttentionSetting& on) {
  const workload::Mamba& shape = on.job.architecture.mamba;
  const int tp = on.tp();
  const double tokens = on.sizes.group_tokens;
  const double inner = static_cast<double>(shape.heads) * shape.head_dim / tp;
  const double state =
      static_cast<double>(shape.groups) * shape.state / std::max(1, std::min(tp, shape.groups));
  Piece piece = frame(on);
  on.linear(
      piece, tokens, 2 * inner + 2 * state + static_cast<double>(shape.heads) / tp, on.hidden());
  on.linear(piece, tokens, on.hidden(), inner);
  add_scan(on, piece, kBf16 * tokens * ((inner + 2 * state) * 3 + inner * 9));
  add_context(on, piece, tokens * (3 * inner + 2 * state) * kBf16, 0, 0);
  add_launches(piece.forward, 10, 9);
  add_launches(piece.data, 10, 16);
  return piece;
}

Piece gated_delta(const AttentionSetting& on) {
  const workload::DeltaNet& shape = on.job.architecture.delta_net;
  const int tp = on.tp();
  const double tokens = on.sizes.group_tokens;
  const double keys = static_cast<double>(shape.key_dim) * shape.key_heads / tp;
  const double values = static_cast<double>(shape.value_dim) * shape.value_heads / tp;
  Piece piece = frame(on);
  on.linear(piece, tokens, 2 * keys + 2 * values + 2.0 * shape.value_heads / tp, on.hidden());
  on.linear(piece, tokens, on.hidden(), values);
  add_scan(on, piece, kBf16 * tokens * ((2 * keys + values) * 3 + values * 12));
  add_context(on, piece, tokens * (2 * keys + 3 * values) * kBf16, 0, 0);
  add_launches(piece.forward, 14, 12);
  add_launches(piece.data, 12, 18);
  return piece;
}

/// Passes of an unfused learnable softmax, 0.3 of them forward.
void add_scores(const AttentionSetting& on, Piece& piece, double heads) {
  const double pass = on.times.scores(on.sizes.group_tokens, heads, on.job.architecture.sequence);
  piece.forward.scores += 0.3 * pass;
  piece.data.scores += 0.7 * pass;
}

Piece grouped_query(const AttentionSetting& on, bool sliding) {
  const workload::GroupedAttention& kind = on.job.architecture.attention;
  const int tp = on.tp();
  const double tokens = on.sizes.group_tokens;
  const double query = static_cast<double>(kind.heads) * kind.head_dim / tp;
  const double key = static_cast<double>(kind.groups) * kind.head_dim / std::min(tp, kind.groups);
  Piece piece = frame(on);
  on.linear(piece, tokens, query * (kind.output_gate ? 2 : 1) + 2 * key, on.hidden());
  on.linear(piece, tokens, on.hidden(), query);
  AttentionShape shape;
  shape.heads = static_cast<double>(kind.heads) / tp;
  shape.head_dim_qk = kind.head_dim;
  shape.head_dim_v = kind.head_dim;
  shape.window = sliding ? kind.window : 0;
  if (kind.learnable_softmax) {
    add_scores(on, piece, shape.heads);
  }
  add_core(on, piece, shape, 2 * key);
  // Rotary positions and norms of queries and keys.
  const double bytes = kBf16 * tokens * ((query + key) * 4 + query + 2 * key);
  piece.forward.memory += on.times.elementwise(bytes);
  piece.data.memory += on.times.elementwise(1.5 * bytes);
  add_launches(piece.forward, 9, 6);
  add_launches(piece.data, 7, 8);
  add_rotation(on, piece, query + key);
  return piece;
}

Piece full_attention(const AttentionSetting& on) {
  return grouped_query(on, false);
}

Piece windowed_attention(const AttentionSetting& on) {
  return grouped_query(on, true);
}

struct MixerWork {
  workload::Mixer mixer = workload::Mixer::none;
  Piece (*work)(const AttentionSetting& on) = nullptr;
};

constexpr std::array<MixerWork, 5> kMixers = {{{workload::Mixer::attention, full_attention},
                                               {workload::Mixer::windowed, windowed_attention},
                                               {workload::Mixer::latent, latent},
                                               {workload::Mixer::delta_net, gated_delta},
                                               {workload::Mixer::mamba, mamba}}};

}  // namespace

Piece attention_work(const workload::Workload& job,
                     const Sizes& sizes,
                     const KernelTimes& times,
                     const std::vector<workload::Layer>& layers) {
  const AttentionSetting on{job, sizes, times};
  std::array<double, 6> layers_of{};
  double mlps = 0;
  for (const workload::Layer& layer : layers) {
    layers_of[static_cast<std::size_t>(layer.mixer)] += 1;
    mlps += layer.feed_forward == workload::FeedForward::none ? 0 : 1;
  }
  Piece sum;
  for (const auto& [mixer, work] : kMixers) {
    const double count = layers_of[static_cast<std::size_t>(mixer)];
    if (count > 0) {
      sum.add(work(on), count / std::max(1.0, mlps));
    }
  }
  return sum;
}

namespace {

cost::Backend backend_of(workload::Dispatcher dispatcher) {
  switch (dispatcher) {
    case workload::Dispatcher::alltoall:
    case workload::Dispatcher::allgather:
      return cost::Backend::nccl;
    case workload::Dispatcher::deepep:
      return cost::Backend::deepep;
    case workload::Dispatcher::hybridep:
    case workload::Dispatcher::ncclep:  // no published timings of its own kernels
      return cost::Backend::hybridep;
  }
  return cost::Backend::nccl;
}

/// Ranks whose tokens the all-gather dispatcher combines.
double gathering_ranks(const workload::Workload& job) {
  return 1.0 * job.parallel.expert * job.parallel.expert_tensor;
}

cost::Cost mean_of(const cost::Cost& a, const cost::Cost& b) {
  cost::Cost mean = a.relative_sd > b.relative_sd ? a : b;
  mean.seconds = 0.5 * (a.seconds + b.seconds);
  return mean;
}

/// Up, activation, down of `width` on all tokens of the group.
void add_mlp(Piece& piece,
             const workload::Workload& job,
             const Sizes& sizes,
             const KernelTimes& times,
             double width) {
  const double tokens = sizes.group_tokens;
  const double hidden = job.architecture.hidden;
  add_linear(piece, linears(job, times), {tokens, sizes.halves * width, hidden});
  add_linear(piece, linears(job, times), {tokens, hidden, width});
  add_activation(job, times, piece, tokens * width * kBf16);
  piece.forward.memory += times.elementwise(tokens * width * kBf16 * (sizes.halves + 1));
  piece.data.memory += times.elementwise(tokens * width * kBf16 * (2 * sizes.halves + 1));
}

}  // namespace

Piece router_work(const workload::Workload& job, const Sizes& sizes, const KernelTimes& times) {
  const workload::Architecture& shape = job.architecture;
  const double width = sizes.rank_tokens * shape.hidden * kBf16;
  Piece piece;
  piece.forward.memory += times.elementwise(width * 2);
  piece.data.memory += times.elementwise(width * 4);
  piece.forward.router = times.router(sizes.rank_tokens, shape.experts.count);
  piece.data.router = 0.5 * piece.forward.router;
  add_launches(piece.forward, 12, 16);
  add_launches(piece.data, 12, 14);
  if (job.routing.balance == workload::Balance::dropped) {
    // The tokens of each expert up to its capacity: top-k over tokens, a mask of them, its product.
    add_launches(piece.forward, 5, 6);
    add_launches(piece.data, 1, 1);
  }
  if (shape.experts.latent > 0) {
    const double latent = shape.experts.latent;
    const double hidden = shape.hidden;
    add_linear(piece, linears(job, times), {sizes.rank_tokens, latent, hidden});
    add_linear(piece, linears(job, times), {sizes.rank_tokens, hidden, latent});
  }
  add_residual(job, sizes, times, piece);
  return piece;
}

Piece shared_expert_work(const workload::Workload& job,
                         const Sizes& sizes,
                         const KernelTimes& times) {
  Piece piece;
  if (job.architecture.experts.shared_ffn == 0) {
    return piece;
  }
  const int tp = job.parallel.tensor;
  add_mlp(piece, job, sizes, times, static_cast<double>(job.architecture.experts.shared_ffn) / tp);
  add_launches(piece.forward, 2, 1);
  add_launches(piece.data, 2, 1);
  if (tp > 1) {
    const double gather =
        times.all_gather(sizes.group_tokens * job.architecture.hidden * kBf16, tp);
    piece.forward.collective += 2 * gather;
    piece.data.collective += 2 * gather;
  }
  return piece;
}

Piece dense_mlp_work(const workload::Workload& job, const Sizes& sizes, const KernelTimes& times) {
  Piece piece;
  const auto& predicted = job.architecture.prediction;
  const auto dense = [](const workload::Layer& layer) {
    return layer.feed_forward == workload::FeedForward::dense;
  };
  if (sizes.dense_layers == 0 && std::ranges::none_of(predicted, dense)) {
    return piece;
  }
  add_mlp(piece,
          job,
          sizes,
          times,
          static_cast<double>(job.architecture.dense_ffn) / job.parallel.tensor);
  const double width = sizes.rank_tokens * job.architecture.hidden * kBf16;
  piece.forward.memory += times.elementwise(width * 2);
  piece.data.memory += times.elementwise(width * 4);
  add_launches(piece.forward, 4, 4);
  add_launches(piece.data, 4, 5);
  add_residual(job, sizes, times, piece);
  return piece;
}

Piece expert_work(const workload::Workload& job, const Sizes& sizes, const KernelTimes& times) {
  const double ffn = sizes.expert_ffn;
  const double width = sizes.expert_width;
  const LinearSetting on = linears(job, times);
  const double experts = sizes.local_experts;
  Piece piece;
  add_expert_linear(piece, on, experts, {sizes.rows_per_expert, sizes.halves * ffn, width});
  add_expert_linear(piece, on, experts, {sizes.rows_per_expert, width, ffn});
  add_activation(job, times, piece, sizes.rows * ffn * kBf16);
  if (!job.kernels.grouped_experts) {
    add_launches(piece.forward, 3 * (experts - 1), 2 * (experts - 1));
    add_launches(piece.data, 3 * (experts - 1), 2 * (experts - 1));
  }
  if (job.kernels.copies_padding) {
    // To the format's multiple before the experts and back after them.
    constexpr double kCopies = 2;
    const double moved = kCopies * 2 * sizes.rows * width * kBf16;
    piece.forward.memory += times.elementwise(moved);
    piece.data.memory += times.elementwise(moved);
    add_launches(piece.forward, kCopies, kCopies);
    add_launches(piece.data, kCopies, kCopies);
  }
  piece.forward.memory += times.elementwise(sizes.rows * ffn * kBf16 * (sizes.halves + 1));
  piece.data.memory += times.elementwise(sizes.rows * ffn * kBf16 * (2 * sizes.halves + 1));
  add_launches(piece.forward, 6, 2);
  add_launches(piece.data, 5, 3);
  return piece;
}

Work dispatch_side_work(const workload::Workload& job,
                        const Sizes& sizes,
                        const KernelTimes& times) {
  const double received = sizes.rows * sizes.expert_width * kBf16;
  const bool sliced = job.parallel.expert_tensor > 1;
  Work work;
  if (workload::deduplicates(job.exchange.dispatcher)) {
    work.memory = times.permute(2 * received);
    add_launches(work, 10, 6);
    return work;
  }
  if (job.exchange.dispatcher == workload::Dispatcher::allgather) {
    // The local experts' rows are selected from the gathered tokens.
    work.memory = times.permute(2 * received);
    add_launches(work, 12, 8);
    return work;
  }
  // Tokens are copied topk times, and sorted by expert once more after the exchange.
  const double sent = sizes.sent * sizes.expert_width * kBf16;
  const double sorted = sizes.local_experts > 1 ? 2 * received : 0;
  work.memory = times.permute(sizes.rank_tokens * sizes.expert_width * kBf16 + sent + sorted);
  add_launches(work, sliced ? 24 : 22, sliced ? 16 : 14);
  if (job.routing.balance == workload::Balance::dropped && !job.exchange.permute_fusion) {
    add_launches(work, 4, 6);  // indices by a sort and by capacity, instead of a selection by mask
  }
  return work;
}

Work combine_side_work(const workload::Workload& job,
                       const Sizes& sizes,
                       const KernelTimes& times) {
  Work work = dispatch_side_work(job, sizes, times);
  const bool flex = workload::deduplicates(job.exchange.dispatcher);
  work.operations = flex ? 5 : 6;
  work.kernels = flex ? 3 : 4;
  if (job.exchange.dispatcher == workload::Dispatcher::allgather) {
    // They are added into zeros of all gathered tokens.
    const double gathered = gathering_ranks(job) * sizes.rank_tokens;
    work.memory += times.permute(gathered * sizes.expert_width * kBf16);
  }
  return work;
}

Piece head_work(const workload::Workload& job, const Sizes& sizes, const KernelTimes& times) {
  constexpr double kTile = 128;
  const double vocab = std::ceil(job.architecture.vocab / kTile / job.parallel.tensor) * kTile;
  const double tokens = sizes.group_tokens;
  Piece piece;
  add_linear(piece,
             {job, times, workload::Precision::bf16},
             {tokens, vocab, 1.0 * job.architecture.hidden});
  piece.forward.cross_entropy = times.cross_entropy(tokens * vocab * kBf16 * 1.5);
  piece.data.cross_entropy = times.cross_entropy(tokens * vocab * kBf16);
  if (!job.kernels.fused_loss) {
    constexpr double kForward = 0.6;
    const Constants& constants = times.constants();
    const double left = job.kernels.compiled_loss ? constants.compiled_loss : 1;
    add_passes(piece, times, constants.unfused_loss * left, kForward, tokens * vocab * kBf16);
  }
  add_launches(piece.forward, 12, 8);
  add_launches(piece.data, 8, 6);
  return piece;
}

Piece embedding_work(const workload::Workload& job, const Sizes& sizes, const KernelTimes& times) {
  const double width = sizes.rank_tokens * job.architecture.hidden * kBf16;
  Piece piece;
  piece.forward.memory = times.elementwise(width * 2);
  piece.data.memory = times.elementwise(width * 4);
  add_launches(piece.forward, 4, 0);
  add_launches(piece.data, 4, 0);
  return piece;
}

Piece vision_work(const workload::Workload& job, const KernelTimes& times) {
  constexpr double kOfCausal = 2;
  const workload::VisionEncoder& vision = job.architecture.vision;
  const workload::Workload encoder = workload::vision_workload(job);
  const double patches = encoder.group_tokens();
  if (patches <= 0) {
    return {};
  }
  const Sizes sizes = sizes_of(encoder);
  const LinearSetting on = linears(encoder, times);
  Piece layer = attention_work(encoder, sizes, times, encoder.architecture.layers);
  layer.forward.attention *= kOfCausal;
  layer.data.attention *= kOfCausal;
  layer.add(dense_mlp_work(encoder, sizes, times), 1);
  Piece piece;
  piece.add(layer, vision.layers);
  add_linear(piece, on, {patches, 1.0 * vision.hidden, vision.patch_values()});
  if (vision.frozen) {
    piece.data = {};
    piece.weights = {};
  }
  const double merged = vision.merged();
  const double ranks = encoder.parallel.tensor;
  const double width = merged * vision.hidden;
  Piece projection;
  add_linear(projection, on, {patches / merged, width / ranks, width});
  add_linear(projection, on, {patches / merged, 1.0 * job.architecture.hidden, width / ranks});
  if (vision.projection_frozen) {
    projection.weights = {};
  }
  if (vision.projection_frozen && vision.frozen) {
    projection.data = {};
  }
  piece.add(projection, vision.projections);
  return piece;
}

Piece prediction_work(const workload::Workload& job, const Sizes& sizes, const KernelTimes& times) {
  const double hidden = job.architecture.hidden;
  const double width = sizes.rank_tokens * hidden * kBf16;
  Piece piece;
  add_linear(
      piece, linears(job, times), {sizes.group_tokens, hidden, 2 * hidden / job.parallel.tensor});
  piece.forward.memory += times.elementwise(width * 6);
  piece.data.memory += times.elementwise(width * 10);
  add_launches(piece.forward, 8, 0);
  add_launches(piece.data, 8, 0);
  return piece;
}

namespace {

/// GPUs that an exchange takes for one NVLink domain: HybridEP those that its variable says.
int exchange_domain(const workload::Workload& job, const Machine& machine) {
  const int said = job.exchange.nvlink_ranks;
  return said > 0 ? std::min(said, machine.domain) : machine.domain;
}

}  // namespace

double exchange_time(const workload::Workload& job,
                     const Sizes& sizes,
                     const Machine& machine,
                     LawTally& tally) {
  if (job.exchange.dispatcher == workload::Dispatcher::allgather) {
    return 0;
  }
  const int slices = job.parallel.expert_tensor;
  cost::Exchange call;
  call.backend = backend_of(job.exchange.dispatcher);
  call.tokens = sizes.rank_tokens;
  call.hidden = sizes.expert_width;
  call.topk = job.architecture.experts.topk;
  call.experts = job.architecture.experts.count;
  call.ranks = job.parallel.expert;
  call.nvlink_domain = exchange_domain(job, machine);
  call.limit = {job.architecture.experts.limit_groups, job.architecture.experts.limit_kept};
  if (call.backend == cost::Backend::nccl) {
    // Ranks with the same slice exchange; those between them belong to other exchanges.
    call.nvlink_domain = std::max(1, machine.domain / slices);
  } else {
    call.ranks *= slices;
    call.slices = slices;
    call.sms = job.exchange.sms;
  }
  double both = 0;
  for (const auto direction : {cost::Direction::dispatch, cost::Direction::combine}) {
    call.direction = direction;
    const cost::Cost answer = cost::exchange(*machine.laws, machine.chip, call);
    tally.add(Law::exchange, answer);
    both += answer.seconds;
  }
  return 0.5 * both;
}

double gathering_time(const workload::Workload& job,
                      const Sizes& sizes,
                      const Machine& machine,
                      LawTally& tally) {
  constexpr double kMap = 1;  // B an expert
  constexpr double kProbability = 4;
  cost::Collective call;
  call.nvlink_domain = machine.domain;
  double in_front = sizes.expert_width * kBf16;  // of a row
  double rows = sizes.rows;
  const double behind = in_front;
  if (job.exchange.dispatcher == workload::Dispatcher::allgather) {
    call.ranks = job.parallel.expert * job.parallel.expert_tensor;
    in_front += job.architecture.experts.count * (kMap + kProbability);
    rows = sizes.rank_tokens * call.ranks;
  } else if (job.exchange.dispatcher == workload::Dispatcher::alltoall) {
    call.ranks = job.parallel.expert_tensor;
  }
  if (call.ranks <= 1) {
    return 0;  // flex dispatchers send to every slice themselves
  }
  call.kind = cost::CollectiveKind::all_gather;
  call.bytes = rows * in_front;
  const cost::Cost gather = cost::collective(*machine.laws, machine.chip, call);
  call.kind = cost::CollectiveKind::reduce_scatter;
  call.bytes = rows * behind;
  const cost::Cost both = mean_of(gather, cost::collective(*machine.laws, machine.chip, call));
  tally.add(Law::collective, both);
  return both.seconds;
}

int spanned_domains(const workload::Workload& job, const Machine& machine) {
  const int ranks = job.parallel.expert * job.parallel.expert_tensor;
  const int domain = exchange_domain(job, machine);
  return std::max(1, (ranks + domain - 1) / domain);
}

}  // namespace epwise::sim
