#include "sim/step.h"

#include <algorithm>
#include <cstddef>

#include "schedule/closed_form.h"
#include "sim/paired_layer.h"
#include "sim/unpaired_layer.h"

namespace epwise::sim {

namespace {

/// What a chunk is made of.
struct Parts {
  Passes dense;
  Passes moe;
  Passes prediction;
  Passes head;
  Passes embedding;
};

/// Host time under overlap; layers outside a pair carry half of the surcharge.
double host_factor(const model::Exchange& exchange, const Constants& constants) {
  if (!exchange.overlap) {
    return 1;
  }
  return constants.host_overlap * (exchange.delayed_wgrad ? constants.host_delayed_wgrad : 1);
}

struct Setting {
  const StepWork& work;
  const Constants& constants;
  const Effects& effects;
  const Prices& prices;
  double host_factor = 1;
};

Passes moe_layer(const Setting& on, const Piece& mixer, double unpaired_factor) {
  const LayerTimes times = layer_times(on.work, mixer, on.constants, on.prices, on.effects);
  const Direction alone = unpaired_layer(times, unpaired_factor);
  Passes passes{alone.forward, alone.backward, alone.forward + alone.backward};
  if (on.work.job->exchange.overlap) {
    passes.both =
        paired_layer(times, pairing_of(on.work, times, on.constants, on.effects, on.host_factor));
  }
  return passes;
}

/// Activations on their way to host memory and back: what outlasts the passes that hide them, or
/// the share that their traffic takes from these.
void add_offload(const Setting& on, Passes& passes) {
  const double there = on.work.offload;
  if (there <= 0) {
    return;
  }
  const double loss = on.effects.contention ? on.constants.overlap_loss : 0;
  if (on.work.job->exchange.overlap) {
    const double lost = std::max({2 * there - passes.both, loss * 2 * there, 0.0});
    passes.add({lost / 2, lost / 2, lost}, 1);
    return;
  }
  const double forward = std::max({there - passes.forward, loss * there, 0.0});
  const double backward = std::max({there - passes.backward, loss * there, 0.0});
  passes.add({forward, backward, forward + backward}, 1);
}

Passes one_after_the_other(double forward, double backward) {
  return {forward, backward, forward + backward};
}

Passes dense_layer(const Setting& on) {
  const StepWork& work = on.work;
  const Prices& prices = on.prices;
  const bool launches = !work.job->graphs.full_iteration && !work.job->graphs.whole_layers;
  const auto host = [&](const Work& part) { return launches ? host_time(part, prices) : 0; };
  const auto gpu = [&](const Work& part) { return gpu_time(part, prices); };
  const Piece& mlp = work.dense_mlp;
  const Piece& mixer = work.mixer;
  const double forward =
      soft_max(gpu(mlp.forward) + gpu(mixer.forward), host(mlp.forward) + host(mixer.forward));
  double backward =
      soft_max(gpu(mlp.data) + gpu(mlp.weights) + gpu(mixer.data) + gpu(mixer.weights),
               host(mlp.data) + host(mlp.weights) + host(mixer.data) + host(mixer.weights));
  const model::Recompute& recompute = work.job->recompute;
  if (recompute.full || recompute.dense_mlp) {
    backward += gpu(mlp.forward);
  }
  return one_after_the_other(forward, backward);
}

Parts parts_of(const Setting& on) {
  const StepWork& work = on.work;
  Parts parts;
  parts.dense = dense_layer(on);
  parts.moe = moe_layer(on, work.mixer, 1 + (on.host_factor - 1) * 0.5);
  add_offload(on, parts.moe);
  parts.head = one_after_the_other(
      bf16_gpu_time(work.head.forward, on.prices),
      bf16_gpu_time(work.head.data, on.prices) + bf16_gpu_time(work.head.weights, on.prices));
  parts.embedding = one_after_the_other(gpu_time(work.embedding.forward, on.prices),
                                        gpu_time(work.embedding.data, on.prices));
  if (work.job->architecture.prediction_depths > 0) {
    parts.prediction = moe_layer(on, work.prediction_mixer, 1);
    const Piece& more = work.prediction;
    parts.prediction.add(
        one_after_the_other(gpu_time(more.forward, on.prices),
                            gpu_time(more.data, on.prices) + gpu_time(more.weights, on.prices)),
        1);
    parts.prediction.add(parts.head, 1);
  }
  return parts;
}

Passes chunk_passes(const ChunkWork& chunk, const Parts& parts) {
  Passes passes;
  passes.add(parts.dense, chunk.dense_layers);
  passes.add(parts.moe, chunk.moe_layers);
  passes.add(parts.prediction, chunk.predictions);
  passes.add(parts.embedding, chunk.embedding ? 1 : 0);
  passes.add(parts.head, chunk.loss ? 1 : 0);
  return passes;
}

/// Stages side by side.
struct Stages {
  Passes first;
  schedule::StageTotals totals;
};

Stages stages_of(const StepWork& work, const Parts& parts) {
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
    totals.forward += passes.forward;
    totals.backward += passes.backward;
    totals.pair += passes.both;
    totals.busiest = std::max(totals.busiest, passes.both);
    totals.slowest = std::max(totals.slowest, passes.forward + passes.backward);
  }
  return stages;
}

/// All micro-batches through all stages, in the order of the schedule.
double body_time(const Setting& on, const schedule::StageTotals& totals) {
  const schedule::Pipeline& pipeline = on.work.pipeline;
  if (!on.effects.bubble) {
    return pipeline.micro_batches * totals.pair / pipeline.stages;
  }
  schedule::Hop hop;
  hop.seconds = on.work.transfer * on.constants.pipeline_transfer;
  hop.overlapped = pipeline.chunks > 1;
  return schedule::unequal_step(pipeline, totals, hop).seconds;
}

/// Gradient traffic hides behind one backward pass of the first stage, parameter traffic behind
/// one forward pass.
double exposed_traffic(const Setting& on, const Passes& stage) {
  const StepWork& work = on.work;
  const double gradients = work.update.gradient_ring * on.constants.dp_ring;
  const double weights = work.update.weight_ring * on.constants.dp_ring;
  if (work.job->sharding != model::Sharding::none) {
    constexpr double kWindow = 0.6;  // weights are gathered in both passes of every micro-batch
    return std::max(
        0.0,
        work.pipeline.micro_batches * (2 * weights - (stage.forward + stage.backward) * kWindow));
  }
  return std::max(0.0, gradients - stage.backward * on.constants.dp_window) +
         std::max(0.0, weights - stage.forward * on.constants.dp_window);
}

}  // namespace

void Passes::add(const Passes& other, double times) {
  forward += times * other.forward;
  backward += times * other.backward;
  both += times * other.both;
}

StepTimes evaluate(const StepWork& work, const Constants& constants, const Effects& effects) {
  const Prices prices = prices_of(work, constants, effects);
  const Setting on{work, constants, effects, prices, host_factor(work.job->exchange, constants)};
  const Parts parts = parts_of(on);
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
  times.step = times.body + times.data_parallel + times.optimizer + times.fixed;
  return times;
}

}  // namespace epwise::sim
