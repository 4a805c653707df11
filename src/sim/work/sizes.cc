#include "sim/work/sizes.h"

#include <algorithm>

namespace epwise::sim {

Sizes sizes_of(const model::Workload& job) {
  const model::Architecture& shape = job.architecture;
  const model::Parallel& split = job.parallel;
  Sizes sizes;
  sizes.group_tokens = job.group_tokens();
  sizes.rank_tokens = job.tokens();
  sizes.sent = sizes.rank_tokens * shape.experts.topk;
  sizes.rows = sizes.sent * split.expert_tensor;
  sizes.expert_width = shape.dispatch_width();
  sizes.expert_ffn = static_cast<double>(shape.experts.ffn) / split.expert_tensor;
  sizes.local_experts = std::max(1, shape.experts.count / split.expert);
  if (shape.experts.count > 0) {
    sizes.rows_per_expert = sizes.rows * split.expert / shape.experts.count;
  }
  sizes.halves = shape.mlp_matrices() - 1;
  for (const model::Layer& layer : shape.layers) {
    sizes.moe_layers += layer.feed_forward == model::FeedForward::experts ? 1 : 0;
    sizes.dense_layers += layer.feed_forward == model::FeedForward::dense ? 1 : 0;
  }
  return sizes;
}

}  // namespace epwise::sim
