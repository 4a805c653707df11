#include "sim/work/offload_work.h"

namespace epwise::sim {

namespace {

/// Widths of queries, keys and values together, and of the core's output, on one rank.
struct AttentionWidths {
  double inputs = 0;
  double output = 0;
};

AttentionWidths attention_widths(const model::Architecture& shape, double tp) {
  const double heads = shape.attention.heads / tp;
  const model::LatentAttention& latent = shape.latent;
  if (latent.key_value_rank > 0) {
    return {heads * (2 * (latent.head_dim + latent.rotary_dim) + latent.value_dim),
            heads * latent.value_dim};
  }
  const double groups = shape.attention.groups / tp;
  return {(heads + 2 * groups) * shape.attention.head_dim, heads * shape.attention.head_dim};
}

}  // namespace

double offloaded_bytes(const model::Workload& job, const Sizes& sizes) {
  constexpr double kBf16 = 2;
  const model::ActivationOffload& what = job.offload;
  const double saved = job.precision == model::Precision::bf16 ? kBf16 : 1;  // inputs of GEMMs
  const AttentionWidths widths = attention_widths(job.architecture, job.parallel.tensor);
  const double width = kBf16 * sizes.rank_tokens * job.architecture.hidden;
  double bytes = 0;
  bytes += what.core_attention ? kBf16 * sizes.group_tokens * widths.inputs : 0;
  bytes += what.attention_projection ? saved * sizes.group_tokens * widths.output : 0;
  bytes += what.expert_input ? saved * sizes.rows * sizes.expert_width : 0;
  bytes += what.expert_activation ? kBf16 * sizes.rows * sizes.expert_ffn * sizes.halves : 0;
  bytes += what.attention_norm ? width : 0;
  bytes += what.feed_forward_norm ? width : 0;
  bytes += what.queries_keys_values ? saved * sizes.rank_tokens * job.architecture.hidden : 0;
  return bytes;
}

double offload_time(const model::Workload& job, const Sizes& sizes, const Machine& machine) {
  return machine.host_rate > 0 ? offloaded_bytes(job, sizes) / machine.host_rate : 0;
}

}  // namespace epwise::sim
