#include "sim/layer/layer_passes.h"

#include <algorithm>

#include "sim/layer/paired_layer.h"
#include "sim/layer/unpaired_layer.h"

namespace epwise::sim {

namespace {

struct Setting {
  const StepWork& work;
  const Constants& constants;
  const Effects& effects;
  const Prices& prices;
  double host_factor = 1;
};

double excess(double duration, double gpu) {
  return gpu > 0 ? duration / gpu - 1 : 0;
}

Passes moe_layer(const Setting& on,
                 const Piece& mixer,
                 double unpaired_factor,
                 LayerPasses& layers) {
  const LayerTimes times = layer_times(on.work, mixer, on.constants, on.prices, on.effects);
  const Direction alone = unpaired_layer(times, unpaired_factor);
  Passes passes{alone.forward, alone.backward, alone.forward + alone.backward};
  if (on.work.job->exchange.overlap) {
    passes.both =
        paired_layer(times, pairing_of(on.work, times, on.constants, on.effects, on.host_factor));
  }
  layers.host_excess = std::max({layers.host_excess,
                                 excess(alone.forward, times.gpu_forward() + times.stall),
                                 excess(alone.backward, times.gpu_backward())});
  return passes;
}

/// Activations on their way to host memory and back: what outlasts the passes that hide them, or
/// the share that their traffic takes from these.
Passes offload_of(const Setting& on, const Passes& passes) {
  const double there = on.work.offload;
  if (there <= 0) {
    return {};
  }
  const double loss = on.effects.contention ? on.constants.overlap_loss : 0;
  if (on.work.job->exchange.overlap) {
    const double lost = std::max({2 * there - passes.both, loss * 2 * there, 0.0});
    return {lost / 2, lost / 2, lost};
  }
  const double forward = std::max({there - passes.forward, loss * there, 0.0});
  const double backward = std::max({there - passes.backward, loss * there, 0.0});
  return {forward, backward, forward + backward};
}

Passes one_after_the_other(double forward, double backward) {
  return {forward, backward, forward + backward};
}

Passes dense_layer(const Setting& on, const Piece& mixer, LayerPasses& layers) {
  const DenseTimes times = dense_times(on.work, mixer, on.prices);
  const double forward = soft_max(times.gpu_forward(), times.host_forward());
  const double backward = soft_max(times.gpu_backward(), times.host_backward()) + times.replay;
  if (on.work.dense_mlp.forward.dense > 0) {
    layers.host_excess = std::max({layers.host_excess,
                                   excess(forward, times.gpu_forward()),
                                   excess(backward, times.gpu_backward() + times.replay)});
  }
  return one_after_the_other(forward, backward);
}

}  // namespace

void Passes::add(const Passes& other, double times) {
  forward += times * other.forward;
  backward += times * other.backward;
  both += times * other.both;
}

LayerPasses layer_passes(const StepWork& work,
                         const Constants& constants,
                         const Prices& prices,
                         const Effects& effects) {
  const double factor = overlap_host_factor(work.job->exchange, constants);
  const Setting on{work, constants, effects, prices, factor};
  LayerPasses layers;
  layers.dense = dense_layer(on, work.mixer, layers);
  layers.moe = moe_layer(on, work.mixer, 1 + (factor - 1) * 0.5, layers);
  layers.offload = offload_of(on, layers.moe);
  layers.moe.add(layers.offload, 1);
  layers.head = one_after_the_other(
      bf16_gpu_time(work.head.forward, prices),
      bf16_gpu_time(work.head.data, prices) + bf16_gpu_time(work.head.weights, prices));
  layers.embedding = one_after_the_other(gpu_time(work.embedding.forward, prices),
                                         gpu_time(work.embedding.data, prices));
  if (work.job->architecture.prediction_depths > 0) {
    layers.prediction = work.predicts_densely() ? dense_layer(on, work.prediction_mixer, layers)
                                                : moe_layer(on, work.prediction_mixer, 1, layers);
    const Piece& more = work.prediction;
    layers.prediction.add(
        one_after_the_other(gpu_time(more.forward, prices),
                            gpu_time(more.data, prices) + gpu_time(more.weights, prices)),
        1);
    layers.prediction.add(layers.head, 1);
  }
  return layers;
}

}  // namespace epwise::sim
