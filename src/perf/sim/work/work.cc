#include "perf/sim/work/work.h"

#include <algorithm>
#include <array>

namespace epwise::sim {

Sizes sizes_of(const workload::Workload& job) {
  const workload::Architecture& shape = job.architecture;
  const workload::Parallel& split = job.parallel;
  Sizes sizes;
  sizes.group_tokens = job.group_tokens();
  sizes.rank_tokens = job.tokens();
  sizes.sent = sizes.rank_tokens * shape.experts.topk * job.routing.kept_rows();
  sizes.rows = sizes.sent * split.expert_tensor;
  sizes.expert_width = shape.dispatch_width();
  sizes.expert_ffn = static_cast<double>(shape.experts.ffn) / split.expert_tensor;
  sizes.local_experts = std::max(1, shape.experts.count / split.expert);
  if (shape.experts.count > 0) {
    sizes.rows_per_expert = sizes.rows * split.expert / shape.experts.count;
  }
  sizes.halves = shape.mlp_matrices() - 1;
  for (const workload::Layer& layer : shape.layers) {
    sizes.moe_layers += layer.feed_forward == workload::FeedForward::experts ? 1 : 0;
    sizes.dense_layers += layer.feed_forward == workload::FeedForward::dense ? 1 : 0;
  }
  return sizes;
}

void add_launches(Work& work, double operations, double kernels) {
  work.operations += operations;
  work.kernels += kernels;
}

void Work::add(const Work& other, double weight) {
  constexpr std::array<double Work::*, 13> kParts = {&Work::dense,
                                                     &Work::grouped,
                                                     &Work::attention,
                                                     &Work::scores,
                                                     &Work::memory,
                                                     &Work::router,
                                                     &Work::cross_entropy,
                                                     &Work::scan,
                                                     &Work::collective,
                                                     &Work::kernels,
                                                     &Work::operations,
                                                     &Work::expert_products,
                                                     &Work::quantisations};
  for (const auto part : kParts) {
    this->*part += weight * (other.*part);
  }
}

void Piece::add(const Piece& other, double weight) {
  forward.add(other.forward, weight);
  data.add(other.data, weight);
  weights.add(other.weights, weight);
}

void LawTally::add(Law law, const cost::Cost& cost) {
  Sum& sum = sums_[static_cast<std::size_t>(law)];
  sum.seconds += cost.seconds;
  sum.deviation += cost.seconds * cost.relative_sd;
}

LawSpread LawTally::spread() const {
  LawSpread spread;
  for (std::size_t i = 0; i < kLawCount; ++i) {
    if (sums_[i].seconds > 0) {
      spread.deviation[i] = sums_[i].deviation / sums_[i].seconds;
    }
  }
  return spread;
}

}  // namespace epwise::sim
