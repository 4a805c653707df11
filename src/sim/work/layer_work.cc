#include "sim/work/layer_work.h"

#include <algorithm>
#include <cmath>

#include "cost/collective.h"
#include "cost/exchange.h"
#include "sim/work/linear_work.h"

namespace epwise::sim {

namespace {

constexpr double kBf16 = 2;  // bytes

void add_launches(Work& work, double operations, double kernels) {
  work.operations += operations;
  work.kernels += kernels;
}

cost::Backend backend_of(model::Dispatcher dispatcher) {
  switch (dispatcher) {
    case model::Dispatcher::alltoall:
    case model::Dispatcher::allgather:
      return cost::Backend::nccl;
    case model::Dispatcher::deepep:
      return cost::Backend::deepep;
    case model::Dispatcher::hybridep:
    case model::Dispatcher::ncclep:  // no kernels of its own were published
      return cost::Backend::hybridep;
  }
  return cost::Backend::nccl;
}

/// Ranks whose tokens the all-gather dispatcher brings together.
double gathering_ranks(const model::Workload& job) {
  return 1.0 * job.parallel.expert * job.parallel.expert_tensor;
}

cost::Cost mean_of(const cost::Cost& a, const cost::Cost& b) {
  cost::Cost mean = a.relative_sd > b.relative_sd ? a : b;
  mean.seconds = 0.5 * (a.seconds + b.seconds);
  return mean;
}

/// Up, activation, down of `width` on all tokens of the group.
void add_mlp(Piece& piece,
             const model::Workload& job,
             const Sizes& sizes,
             const KernelTimes& times,
             double width) {
  const double tokens = sizes.group_tokens;
  const double hidden = job.architecture.hidden;
  add_linear(piece, times, job.precision, {tokens, sizes.halves * width, hidden});
  add_linear(piece, times, job.precision, {tokens, hidden, width});
  piece.forward.memory += times.elementwise(tokens * width * kBf16 * (sizes.halves + 1));
  piece.data.memory += times.elementwise(tokens * width * kBf16 * (2 * sizes.halves + 1));
}

}  // namespace

Piece router_work(const model::Workload& job, const Sizes& sizes, const KernelTimes& times) {
  const model::Architecture& shape = job.architecture;
  const double width = sizes.rank_tokens * shape.hidden * kBf16;
  Piece piece;
  piece.forward.memory += times.elementwise(width * 2);
  piece.data.memory += times.elementwise(width * 4);
  piece.forward.router = times.router(sizes.rank_tokens, shape.experts.count);
  piece.data.router = 0.5 * piece.forward.router;
  add_launches(piece.forward, 12, 16);
  add_launches(piece.data, 12, 14);
  if (shape.experts.latent > 0) {
    const double latent = shape.experts.latent;
    const double hidden = shape.hidden;
    add_linear(piece, times, job.precision, {sizes.rank_tokens, latent, hidden});
    add_linear(piece, times, job.precision, {sizes.rank_tokens, hidden, latent});
  }
  return piece;
}

Piece shared_expert_work(const model::Workload& job, const Sizes& sizes, const KernelTimes& times) {
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

Piece dense_mlp_work(const model::Workload& job, const Sizes& sizes, const KernelTimes& times) {
  Piece piece;
  const auto& predicted = job.architecture.prediction;
  const auto dense = [](const model::Layer& layer) {
    return layer.feed_forward == model::FeedForward::dense;
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
  return piece;
}

Piece expert_work(const model::Workload& job, const Sizes& sizes, const KernelTimes& times) {
  const double ffn = sizes.expert_ffn;
  const double width = sizes.expert_width;
  const bool fused = job.kernels.fused_experts;
  Piece piece;
  add_expert_linear(piece,
                    times,
                    job.precision,
                    sizes.local_experts,
                    {sizes.rows_per_expert, sizes.halves * ffn, width},
                    fused);
  add_expert_linear(
      piece, times, job.precision, sizes.local_experts, {sizes.rows_per_expert, width, ffn}, fused);
  piece.forward.memory += times.elementwise(sizes.rows * ffn * kBf16 * (sizes.halves + 1));
  piece.data.memory += times.elementwise(sizes.rows * ffn * kBf16 * (2 * sizes.halves + 1));
  add_launches(piece.forward, 6, 2);
  add_launches(piece.data, 5, 3);
  return piece;
}

Work dispatch_side_work(const model::Workload& job, const Sizes& sizes, const KernelTimes& times) {
  const double received = sizes.rows * sizes.expert_width * kBf16;
  const bool sliced = job.parallel.expert_tensor > 1;
  Work work;
  if (model::deduplicates(job.exchange.dispatcher)) {
    work.memory = times.permute(2 * received);
    add_launches(work, 10, 6);
    return work;
  }
  if (job.exchange.dispatcher == model::Dispatcher::allgather) {
    // The local experts' rows are picked out of the gathered tokens.
    work.memory = times.permute(2 * received);
    add_launches(work, 12, 8);
    return work;
  }
  // Tokens are copied topk times, and sorted by expert once more behind the exchange.
  const double sent = sizes.sent * sizes.expert_width * kBf16;
  const double sorted = sizes.local_experts > 1 ? 2 * received : 0;
  work.memory = times.permute(sizes.rank_tokens * sizes.expert_width * kBf16 + sent + sorted);
  add_launches(work, sliced ? 24 : 22, sliced ? 16 : 14);
  return work;
}

Work combine_side_work(const model::Workload& job, const Sizes& sizes, const KernelTimes& times) {
  Work work = dispatch_side_work(job, sizes, times);
  const bool flex = model::deduplicates(job.exchange.dispatcher);
  work.operations = flex ? 5 : 6;
  work.kernels = flex ? 3 : 4;
  if (job.exchange.dispatcher == model::Dispatcher::allgather) {
    // They are added into zeros of all gathered tokens.
    const double gathered = gathering_ranks(job) * sizes.rank_tokens;
    work.memory += times.permute(gathered * sizes.expert_width * kBf16);
  }
  return work;
}

Piece head_work(const model::Workload& job, const Sizes& sizes, const KernelTimes& times) {
  constexpr double kTile = 128;
  const double vocab = std::ceil(job.architecture.vocab / kTile / job.parallel.tensor) * kTile;
  const double tokens = sizes.group_tokens;
  Piece piece;
  add_linear(piece, times, model::Precision::bf16, {tokens, vocab, 1.0 * job.architecture.hidden});
  piece.forward.cross_entropy = times.cross_entropy(tokens * vocab * kBf16 * 1.5);
  piece.data.cross_entropy = times.cross_entropy(tokens * vocab * kBf16);
  add_launches(piece.forward, 12, 8);
  add_launches(piece.data, 8, 6);
  return piece;
}

Piece embedding_work(const model::Workload& job, const Sizes& sizes, const KernelTimes& times) {
  const double width = sizes.rank_tokens * job.architecture.hidden * kBf16;
  Piece piece;
  piece.forward.memory = times.elementwise(width * 2);
  piece.data.memory = times.elementwise(width * 4);
  add_launches(piece.forward, 4, 0);
  add_launches(piece.data, 4, 0);
  return piece;
}

Piece prediction_work(const model::Workload& job, const Sizes& sizes, const KernelTimes& times) {
  const double hidden = job.architecture.hidden;
  const double width = sizes.rank_tokens * hidden * kBf16;
  Piece piece;
  add_linear(
      piece, times, job.precision, {sizes.group_tokens, hidden, 2 * hidden / job.parallel.tensor});
  piece.forward.memory += times.elementwise(width * 6);
  piece.data.memory += times.elementwise(width * 10);
  add_launches(piece.forward, 8, 0);
  add_launches(piece.data, 8, 0);
  return piece;
}

double exchange_time(const model::Workload& job,
                     const Sizes& sizes,
                     const Machine& machine,
                     LawTally& tally) {
  if (job.exchange.dispatcher == model::Dispatcher::allgather) {
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
  call.nvlink_domain = machine.domain;
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

double gathering_time(const model::Workload& job,
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
  if (job.exchange.dispatcher == model::Dispatcher::allgather) {
    call.ranks = job.parallel.expert * job.parallel.expert_tensor;
    in_front += job.architecture.experts.count * (kMap + kProbability);
    rows = sizes.rank_tokens * call.ranks;
  } else if (job.exchange.dispatcher == model::Dispatcher::alltoall) {
    call.ranks = job.parallel.expert_tensor;
  }
  if (call.ranks <= 1) {
    return 0;  // flexible dispatchers send to every slice themselves
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

int spanned_domains(const model::Workload& job, const Machine& machine) {
  const int ranks = job.parallel.expert * job.parallel.expert_tensor;
  return std::max(1, (ranks + machine.domain - 1) / machine.domain);
}

}  // namespace epwise::sim
