#include "sim/work/attention_work.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "sim/work/linear_work.h"

namespace epwise::sim {

namespace {

constexpr double kBf16 = 2;  // bytes

/// What the kinds have in common.
struct Setting {
  const model::Workload& job;
  const Sizes& sizes;
  const KernelTimes& times;

  double hidden() const { return job.architecture.hidden; }

  int tp() const { return job.parallel.tensor; }

  void linear(Piece& piece, double rows, double out, double in) const {
    add_linear(piece, times, job.precision, {rows, out, in});
  }
};

void add_launches(Work& work, double operations, double kernels) {
  work.operations += operations;
  work.kernels += kernels;
}

/// Input norm, residual, and the collectives of tensor (sequence) parallelism around the layer.
Piece frame(const Setting& on) {
  const double width = on.sizes.rank_tokens * on.hidden() * kBf16;
  Piece piece;
  piece.forward.memory += on.times.norm(width * 5);
  piece.data.memory += on.times.norm(width * 7);
  add_launches(piece.forward, 5, 3);
  add_launches(piece.data, 5, 4);
  if (on.tp() > 1) {
    const double gather = on.times.all_gather(on.sizes.group_tokens * on.hidden() * kBf16, on.tp());
    piece.forward.collective += 2 * gather;
    piece.data.collective += 3 * gather;
    add_launches(piece.forward, 2, 0);
    add_launches(piece.data, 3, 0);
  }
  return piece;
}

/// What ranks of context parallelism wait for where a sequence is cut over them. `bytes`: that
/// reach each of them forward; backward their gradients travel too. The ring passes keys and values
/// on while the last ones are attended to: only what takes longer than that is waited for.
void add_context(const Setting& on, Piece& piece, double bytes, double forward, double backward) {
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
void add_core(const Setting& on, Piece& piece, AttentionShape shape, double key_value) {
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

Piece latent(const Setting& on) {
  const model::LatentAttention& mla = on.job.architecture.latent;
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
  return piece;
}

/// Bytes of convolution, chunks of the scan, and gated norm; backward streams 2.6 times as much.
void add_scan(const Setting& on, Piece& piece, double bytes) {
  piece.forward.scan += on.times.scan(bytes);
  piece.data.scan += on.times.scan(2.6 * bytes);
}

Piece mamba(const Setting& on) {
  const model::Mamba& shape = on.job.architecture.mamba;
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

Piece gated_delta(const Setting& on) {
  const model::DeltaNet& shape = on.job.architecture.delta_net;
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

/// The score matrix of an unfused learnable softmax: a pass of 2 bytes a score, 0.3 of them
/// forward.
void add_scores(const Setting& on, Piece& piece, double heads) {
  const double pass =
      on.times.elementwise(on.sizes.group_tokens * on.job.architecture.sequence * heads * kBf16);
  piece.forward.scores += 0.3 * pass;
  piece.data.scores += 0.7 * pass;
}

Piece grouped_query(const Setting& on, bool sliding) {
  const model::GroupedAttention& kind = on.job.architecture.attention;
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
  return piece;
}

Piece full_attention(const Setting& on) {
  return grouped_query(on, false);
}

Piece windowed_attention(const Setting& on) {
  return grouped_query(on, true);
}

struct MixerWork {
  model::Mixer mixer = model::Mixer::none;
  Piece (*work)(const Setting& on) = nullptr;
};

constexpr std::array<MixerWork, 5> kMixers = {{{model::Mixer::attention, full_attention},
                                               {model::Mixer::windowed, windowed_attention},
                                               {model::Mixer::latent, latent},
                                               {model::Mixer::delta_net, gated_delta},
                                               {model::Mixer::mamba, mamba}}};

}  // namespace

Piece attention_work(const model::Workload& job,
                     const Sizes& sizes,
                     const KernelTimes& times,
                     const std::vector<model::Layer>& layers) {
  const Setting on{job, sizes, times};
  std::array<double, 6> layers_of{};
  double mlps = 0;
  for (const model::Layer& layer : layers) {
    layers_of[static_cast<std::size_t>(layer.mixer)] += 1;
    mlps += layer.feed_forward == model::FeedForward::none ? 0 : 1;
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

}  // namespace epwise::sim
