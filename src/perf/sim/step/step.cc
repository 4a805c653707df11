#include "perf/sim/step/step.h"

#include <algorithm>
#include <cstddef>

#include "perf/schedule/closed_form.h"
#include "perf/sim/layer/layer_passes.h"

namespace epwise::sim {

namespace {

struct StepSetting {
  const StepWork& work;
  const Constants& constants;
  const Effects& effects;
};

Passes chunk_passes(const ChunkWork& chunk, const LayerPasses& parts) {
  Passes passes;
  passes.add(parts.dense, chunk.dense_layers);
  passes.add(parts.moe, chunk.moe_layers);
  passes.add(parts.prediction, chunk.predictions);
  passes.add(parts.embedding, chunk.embedding ? 1 : 0);
  passes.add(parts.head, chunk.loss ? 1 : 0);
  return passes;
}

/// Stages next to each other.
struct Stages {
  Passes first;
  Passes last;
  schedule::StageTotals totals;
};

Stages stages_of(const StepWork& work, const LayerPasses& parts) {
  Stages stages;
  schedule::StageTotals& totals = stages.totals;
  const auto step = static_cast<std::size_t>(work.pipeline.stages);
  for (std::size_t stage = 0; stage < step; ++stage) {
    Passes passes;
    for (std::size_t chunk = stage; chunk < work.chunks.size(); chunk += step) {
      passes.add(chunk_passes(work.chunks[chunk], parts), 1);
    }
    if (stage == 0) {
      stages.first = passes;
    }
    stages.last = passes;
    totals.forward += passes.forward;
    totals.backward += passes.backward;
    totals.pair += passes.both;
    totals.busiest = std::max(totals.busiest, passes.both);
    totals.slowest = std::max(totals.slowest, passes.forward + passes.backward);
  }
  return stages;
}

/// All micro-batches through all stages, in the order of the schedule.
double body_time(const StepSetting& on, const schedule::StageTotals& totals) {
  const schedule::Pipeline& pipeline = on.work.pipeline;
  schedule::Hop hop;
  hop.seconds = on.work.transfer * on.constants.pipeline_transfer;
  hop.overlapped = pipeline.chunks > 1 && on.work.job->parallel.transfers_overlap;
  const double body = schedule::unequal_step(pipeline, totals, hop).seconds;
  if (on.effects.bubble) {
    return body;
  }
  // Slots that find no partner may be shorter than paired ones: then there is no bubble.
  const double mean = totals.pair / pipeline.stages;
  return std::min(body,
                  pipeline.micro_batches * (on.effects.uneven_stages ? totals.busiest : mean));
}

/// With shards of weights these are gathered in both passes of every micro-batch, and gradients are
/// scattered after each; with shards of gradients only the latter.
double sharded_traffic(const StepSetting& on,
                       const Passes& stage,
                       double gradients,
                       double weights) {
  const workload::Sharding kind = on.work.job->sharding;
  const double gathered = kind == workload::Sharding::weights ? 2 * weights : 0;
  const double scattered = kind == workload::Sharding::optimizer ? 0 : gradients;
  const double hidden = (stage.forward + stage.backward) * std::min(1.0, on.constants.dp_window);
  return on.work.pipeline.micro_batches * std::max(0.0, gathered + scattered - hidden);
}

/// One backward pass of the first stage hides gradient traffic, and one forward pass hides
/// parameter traffic, each only if its overlap is on. FSDP always overlaps.
double exposed_traffic(const StepSetting& on, const Passes& stage) {
  const StepWork& work = on.work;
  const double gradients = work.update.gradient_ring * on.constants.dp_ring;
  const double weights = work.update.weight_ring * on.constants.dp_ring;
  const bool sharded = work.job->sharding != workload::Sharding::none;
  const workload::Optimizer& optimizer = work.job->optimizer;
  const double window = std::min(1.0, on.constants.dp_window);
  const double behind = optimizer.overlap_gradients || sharded ? stage.backward * window : 0;
  const double before = optimizer.overlap_weights || sharded ? stage.forward * window : 0;
  const double replicated = std::max(0.0, gradients - behind) + std::max(0.0, weights - before);
  if (sharded) {
    return std::max(replicated, sharded_traffic(on, stage, gradients, weights));
  }
  return replicated;
}

bool is_exact(const StepWork& work,
              const LayerPasses& layers,
              const Stages& stages,
              const StepTimes& times) {
  constexpr double kLaunches = 2e-3;
  constexpr double kHops = 3e-2;
  const schedule::Pipeline& pipeline = work.pipeline;
  if (pipeline.ep_overlap || layers.host_excess > kLaunches || times.data_parallel > 0 ||
      work.job->sharding != workload::Sharding::none) {
    return false;
  }
  const double last = stages.last.forward + stages.last.backward;
  const double hops = work.transfer * (2 * pipeline.micro_batches + 2 * pipeline.stages);
  return pipeline.stages == 1 ||
         (pipeline.chunks == 1 && last >= stages.totals.slowest && hops < kHops * times.body);
}

}  // namespace

StepTimes evaluate(const StepWork& work, const Constants& constants, const Effects& effects) {
  const Prices prices = prices_of(work, constants, effects);
  const LayerPasses parts = layer_passes(work, constants, prices, effects);
  const StepSetting on{work, constants, effects};
  const Stages stages = stages_of(work, parts);
  StepTimes times;
  times.layer = parts.moe;
  times.stage = stages.first;
  times.body = body_time(on, stages.totals);
  if (effects.data_parallel) {
    times.data_parallel = exposed_traffic(on, stages.first);
  }
  if (effects.optimizer) {
    times.optimizer = work.update.optimizer_memory * constants.optimizer + work.update.host_states;
    const bool launches = !work.job->graphs.full_iteration;
    times.fixed =
        constants.step_fixed +
        (launches ? prices.operation * work.update.tensors * constants.host_parameter : 0);
  }
  times.exact = is_exact(work, parts, stages, times);
  times.step =
      (times.body + times.data_parallel + times.optimizer + times.fixed) * work.stated.level;
  return times;
}

}  // namespace epwise::sim
