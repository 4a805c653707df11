#include "sim/work/step_work.h"

#include <algorithm>
#include <cmath>

#include "sim/work/attention_work.h"
#include "sim/work/layer_work.h"
#include "sim/work/offload_work.h"
#include "sim/work/update_work.h"

namespace epwise::sim {

namespace {

constexpr double kBf16 = 2;  // bytes

ChunkWork count_layers(const model::Architecture& shape, const model::Chunk& chunk) {
  ChunkWork work;
  for (int i = chunk.first; i < chunk.first + chunk.layers; ++i) {
    const auto kind = shape.layers[static_cast<std::size_t>(i)].feed_forward;
    work.dense_layers += kind == model::FeedForward::dense ? 1 : 0;
    work.moe_layers += kind == model::FeedForward::experts ? 1 : 0;
  }
  work.predictions = chunk.prediction_depths;
  work.embedding = chunk.embedding;
  work.loss = chunk.loss;
  return work;
}

/// The recipe's pipeline. Lint refuses what Megatron would not run; who insists gets one group of
/// all micro-batches, and without enough of them no interleaving.
schedule::Pipeline pipeline_of(const model::Workload& job) {
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
double transfer_time(const model::Workload& job,
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
  return std::ranges::any_of(job->architecture.prediction, [](const model::Layer& layer) {
    return layer.feed_forward == model::FeedForward::dense;
  });
}

LayerWork lower_layers(const model::Workload& job,
                       const Machine& machine,
                       const Constants& constants) {
  LawTally tally;
  const KernelTimes times(machine, constants, &tally);
  const Sizes sizes = sizes_of(job);
  const model::Architecture& shape = job.architecture;
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
  work.norm_replay = times.elementwise(sizes.rank_tokens * shape.hidden * kBf16 * 4);
  work.offload = offload_time(job, sizes, machine);
  work.spread = tally.spread();
  return work;
}

SplitWork lower_split(const model::Workload& job,
                      const Machine& machine,
                      const Constants& constants) {
  SplitWork work;
  for (const model::Chunk& chunk : job.parallel.chunks) {
    work.chunks.push_back(count_layers(job.architecture, chunk));
  }
  work.update = update_work(job, machine, constants);
  return work;
}

void lower_schedule(const model::Workload& job, const Constants& constants, StepWork& work) {
  const Sizes sizes = sizes_of(job);
  work.job = &job;
  work.pipeline = pipeline_of(job);
  work.layers_per_chunk =
      std::ceil((sizes.moe_layers + sizes.dense_layers + job.architecture.prediction_depths) /
                static_cast<double>(job.parallel.chunks.size()));
  work.transfer = transfer_time(job, work.machine, sizes, constants);
  work.several_domains = spanned_domains(job, work.machine) > 1;
}

StepWork lower(const model::Workload& job,
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

}  // namespace epwise::sim
