#include "perf/sim/work/step_work.h"

#include <algorithm>
#include <cmath>

#include "perf/sim/work/layer_work.h"
#include "perf/sim/work/machine.h"
#include "perf/sim/work/work.h"
#include "perf/workload/memory.h"
#include "perf/workload/parameters.h"
#include "perf/workload/workload.h"

namespace epwise::sim {

/// The work of a step besides its micro-batches, on the stage with the most parameters: reducing
/// gradients, updating states, gathering weights. With P dense and Q expert parameters of the rank,
/// replicated R and S times, and its S' = P/R + Q/S states (P + Q without a distributed optimizer):
///   rings        bytes (n − 1)/n / link over n replicas: gradients in their own type and BF16
///                weights (2 B); without a distributed optimizer gradients pass twice and weights
///                not at all. The link is the NIC as soon as the job spans several NVLink domains
///   optimizer    at memory speed: per state its weight and moments read and written, its gradient
///                read and the BF16 weight written (30 B for FP32 Adam), and each parameter's
///                gradient cleared and scaled (8 B in FP32)
///   on the host  the share of S' in host memory: 16 B per state at a share of PCIe, less where copies
///                and updates overlap
/// Counts of bytes, in s at nominal rates; `Constants::dp_ring` and `optimizer` scale them to published
/// steps. Source: Megatron-Core's distributed optimizer.
UpdateWork update_work(const workload::Workload& job,
                       const Machine& machine,
                       const Constants& constants);

/// Bytes of one expert layer and micro-batch kept in host memory between forward and backward.
double offloaded_bytes(const workload::Workload& job, const Sizes& sizes);

/// Seconds for moving them in one direction at `Machine::host_rate`; 0 without offloading, or if
/// the profile has no host link. A prior: no published timings of such copies determine the rate.
double offload_time(const workload::Workload& job, const Sizes& sizes, const Machine& machine);

/// Seconds for what the pages of a paged stash on the GPU are too few for, to the host or back. (Copies
/// to and from the pages run beside the layers; the runs that determine the constants include them.)
double spill_time(const workload::Workload& job, const Machine& machine);

namespace {

ChunkWork count_layers(const workload::Architecture& shape, const workload::Chunk& chunk) {
  ChunkWork work;
  for (int i = chunk.first; i < chunk.first + chunk.layers; ++i) {
    const auto kind = shape.layers[static_cast<std::size_t>(i)].feed_forward;
    work.dense_layers += kind == workload::FeedForward::dense ? 1 : 0;
    work.moe_layers += kind == workload::FeedForward::experts ? 1 : 0;
  }
  work.predictions = chunk.prediction_depths;
  work.embedding = chunk.embedding;
  work.loss = chunk.loss;
  return work;
}

/// The recipe's pipeline. Lint rejects what Megatron would not run; with --force it gets one group
/// of all micro-batches, and without enough of them no interleaving.
schedule::Pipeline pipeline_of(const workload::Workload& job) {
  schedule::Pipeline pipeline;
  pipeline.stages = job.parallel.pipeline;
  pipeline.chunks = static_cast<int>(job.parallel.chunks.size()) / pipeline.stages;
  pipeline.micro_batches = job.batch.microbatches;
  pipeline.group = job.parallel.chunk_group;
  pipeline.ep_overlap = job.exchange.overlap;
  if (!schedule::defect(pipeline).empty()) {
    pipeline.group = pipeline.micro_batches;
  }
  if (!schedule::defect(pipeline).empty()) {
    pipeline.chunks = 1;
    pipeline.ep_overlap = pipeline.ep_overlap && pipeline.stages == 1;
  }
  return pipeline;
}

/// One micro-batch's activations to the next stage: over the NIC when a stage fills the NVLink
/// domain.
double transfer_time(const workload::Workload& job,
                     const Machine& machine,
                     const Sizes& sizes,
                     const Constants& constants) {
  const int stages = job.parallel.pipeline;
  if (stages == 1) {
    return 0;
  }
  const double bytes = sizes.rank_tokens * job.architecture.hidden * kBf16;
  const bool far = job.parallel.gpus / stages >= machine.domain;
  return bytes / (far ? machine.nic_rate : machine.nvlink_rate) + constants.transfer_latency;
}

}  // namespace

bool StepWork::predicts_densely() const {
  return std::ranges::any_of(job->architecture.prediction, [](const workload::Layer& layer) {
    return layer.feed_forward == workload::FeedForward::dense;
  });
}

LayerWork lower_layers(const workload::Workload& job,
                       const Machine& machine,
                       const Constants& constants) {
  LawTally tally;
  const KernelTimes times(machine, constants, &tally);
  const Sizes sizes = sizes_of(job);
  const workload::Architecture& shape = job.architecture;
  LayerWork work;
  work.mixer = attention_work(job, sizes, times, shape.layers);
  if (shape.prediction_depths > 0) {
    work.prediction_mixer = attention_work(job, sizes, times, shape.prediction);
    work.prediction = prediction_work(job, sizes, times);
  }
  if (sizes.moe_layers > 0) {
    work.router = router_work(job, sizes, times);
    work.shared_expert = shared_expert_work(job, sizes, times);
    work.experts = expert_work(job, sizes, times);
    work.dispatch_side = dispatch_side_work(job, sizes, times);
    work.combine_side = combine_side_work(job, sizes, times);
    work.exchange = exchange_time(job, sizes, machine, tally);
    work.gathering = gathering_time(job, sizes, machine, tally);
    work.activation_replay =
        times.elementwise(sizes.rows * shape.experts.ffn * kBf16 * shape.mlp_matrices());
  }
  work.dense_mlp = dense_mlp_work(job, sizes, times);
  work.head = head_work(job, sizes, times);
  work.embedding = embedding_work(job, sizes, times);
  if (shape.vision.layers > 0) {
    work.vision = vision_work(job, times);
  }
  work.norm_replay = times.elementwise(sizes.rank_tokens * shape.hidden * kBf16 * 4);
  work.offload = offload_time(job, sizes, machine) + spill_time(job, machine);
  work.spread = tally.spread();
  if (job.optimizer.trained < 1) {
    for (Piece* piece : {&work.mixer,
                         &work.prediction_mixer,
                         &work.router,
                         &work.shared_expert,
                         &work.dense_mlp,
                         &work.experts,
                         &work.head,
                         &work.prediction}) {
      piece->weights = {};  // frozen
    }
  }
  return work;
}

SplitWork lower_split(const workload::Workload& job,
                      const Machine& machine,
                      const Constants& constants) {
  SplitWork work;
  for (const workload::Chunk& chunk : job.parallel.chunks) {
    work.chunks.push_back(count_layers(job.architecture, chunk));
  }
  work.update = update_work(job, machine, constants);
  return work;
}

void lower_schedule(const workload::Workload& job, const Constants& constants, StepWork& work) {
  const Sizes sizes = sizes_of(job);
  work.job = &job;
  work.pipeline = pipeline_of(job);
  work.layers_per_chunk =
      std::ceil((sizes.moe_layers + sizes.dense_layers + job.architecture.prediction_depths) /
                static_cast<double>(job.parallel.chunks.size()));
  work.transfer = transfer_time(job, work.machine, sizes, constants);
  work.several_domains = spanned_domains(job, work.machine) > 1;
}

StepWork lower(const workload::Workload& job,
               const Machine& machine,
               const Constants& constants,
               const StatedInputs& stated) {
  StepWork work;
  static_cast<LayerWork&>(work) = lower_layers(job, machine, constants);
  static_cast<SplitWork&>(work) = lower_split(job, machine, constants);
  work.machine = machine;
  work.stated = stated;
  lower_schedule(job, constants, work);
  return work;
}

namespace {

/// A ring moves everything except its own part past every rank.
double ring_time(double bytes, double ranks, double rate) {
  return ranks <= 1 ? 0 : bytes * (ranks - 1) / ranks / rate;
}

/// Of the stage with the most parameters.
workload::RankParameters largest_rank(const workload::Workload& job) {
  workload::RankParameters largest;
  for (int stage = 0; stage < job.parallel.pipeline; ++stage) {
    const workload::RankParameters here = workload::rank_parameters(job, stage);
    if (here.dense + here.expert > largest.dense + largest.expert) {
      largest = here;
    }
  }
  return largest;
}

}  // namespace

UpdateWork update_work(const workload::Workload& job,
                       const Machine& machine,
                       const Constants& constants) {
  constexpr double kWeight = 2;       // bytes, BF16
  constexpr double kHostStates = 16;  // bytes moved per state in host memory
  const workload::RankParameters own = largest_rank(job);
  const double replicas = job.parallel.dense_replicas();
  const double expert_replicas = job.parallel.expert_data;
  const bool leaves_domain = job.parallel.gpus > machine.domain;
  const double link = leaves_domain ? machine.nic_rate : machine.nvlink_rate;
  const double memory = machine.memory_rate * constants.share_optimizer;
  const workload::Optimizer& kept = job.optimizer;
  const bool sharded = kept.distributed || job.sharding != workload::Sharding::none;
  const double vision = own.vision > 0 ? workload::trained_vision(job) : 0;
  const double dense = kept.trained * (own.dense - own.vision) + vision;
  const double expert = kept.trained * own.expert;
  const double gradient = kept.gradient * (sharded ? 1 : 2);
  const double weight = sharded ? kWeight : 0;
  const double states = sharded ? dense / replicas + expert / expert_replicas : dense + expert;
  const double per_state = 2 * (kept.main_weight + kept.moments) + kept.main_gradient + kWeight;
  UpdateWork update;
  update.gradient_ring = ring_time(dense * gradient, replicas, link) +
                         ring_time(expert * gradient, expert_replicas, link);
  update.weight_ring =
      ring_time(dense * weight, replicas, link) + ring_time(expert * weight, expert_replicas, link);
  update.optimizer_memory = (states * per_state + (dense + expert) * 2 * kept.gradient) / memory;
  if (job.optimizer.host_fraction > 0 && machine.pcie_rate > 0) {
    update.host_states = job.optimizer.host_fraction * states * kHostStates /
                         (machine.pcie_rate * constants.share_host_update);
    if (job.optimizer.host_overlap) {
      update.host_states *= constants.overlapped_host_update;
    }
  }
  update.tensors = own.tensors;
  return update;
}

namespace {

/// Widths of queries, keys and values together, and of the core's output, on one rank.
struct AttentionWidths {
  double inputs = 0;
  double output = 0;
};

AttentionWidths attention_widths(const workload::Architecture& shape, double tp) {
  const double heads = shape.attention.heads / tp;
  const workload::LatentAttention& latent = shape.latent;
  if (latent.key_value_rank > 0) {
    return {heads * (2 * (latent.head_dim + latent.rotary_dim) + latent.value_dim),
            heads * latent.value_dim};
  }
  const double groups = shape.attention.groups / tp;
  return {(heads + 2 * groups) * shape.attention.head_dim, heads * shape.attention.head_dim};
}

}  // namespace

double offloaded_bytes(const workload::Workload& job, const Sizes& sizes) {
  const workload::ActivationOffload& what = job.offload;
  const double saved = job.precision == workload::Precision::bf16 ? kBf16 : 1;  // inputs of GEMMs
  const AttentionWidths widths = attention_widths(job.architecture, job.parallel.tensor);
  const double width = kBf16 * sizes.rank_tokens * job.architecture.hidden;
  double bytes = 0;
  bytes += what.core_attention ? kBf16 * sizes.group_tokens * widths.inputs : 0;
  bytes += what.attention_projection ? saved * sizes.group_tokens * widths.output : 0;
  bytes += what.expert_input ? saved * sizes.rows * sizes.expert_width : 0;
  bytes += what.expert_activation ? kBf16 * sizes.rows * sizes.expert_ffn * sizes.halves : 0;
  bytes += what.attention_norm ? width : 0;
  bytes += what.feed_forward_norm ? width : 0;
  if (what.whole_layers > 0 && !job.architecture.layers.empty()) {
    // Everything that the first layers keep, per layer of the model.
    const double share = static_cast<double>(what.whole_layers) /
                         static_cast<double>(job.architecture.layers.size());
    bytes += share * workload::layer_activations(job, job.architecture.layers.front()).saved;
  }
  bytes += what.queries_keys_values ? saved * sizes.rank_tokens * job.architecture.hidden : 0;
  return bytes;
}

double spill_time(const workload::Workload& job, const Machine& machine) {
  const double spilt = job.routing.stash > 0 ? std::max(0.0, 1 - job.routing.stash) : 0;
  return machine.host_rate > 0 ? spilt * workload::stashed_bytes(job) / machine.host_rate : 0;
}

double offload_time(const workload::Workload& job, const Sizes& sizes, const Machine& machine) {
  return machine.host_rate > 0 ? offloaded_bytes(job, sizes) / machine.host_rate : 0;
}

}  // namespace epwise::sim
