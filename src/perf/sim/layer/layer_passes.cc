#include "perf/sim/layer/layer_passes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "perf/schedule/layer_pair.h"

namespace epwise::sim {

namespace {

using schedule::Node;

/// Share of the backward side's launches that belong to weight gradients.
double late_share(bool delayed_weights) {
  constexpr double kDelayedHost = 0.33;
  return delayed_weights ? kDelayedHost : 0;
}

}  // namespace

schedule::LayerCost node_costs(const LayerTimes& times, double host_factor, bool delayed_weights) {
  const double late = late_share(delayed_weights);
  schedule::LayerCost cost;
  const auto set = [&](Node node, double gpu, double launches) {
    cost[node].gpu = gpu;
    cost[node].host = launches * host_factor;
    // An exchange is one kernel, beside which the next node may start; other nodes have many.
    constexpr double kLastKernel = 0.1;
    cost[node].tail = schedule::is_exchange(node) ? gpu : kLastKernel * gpu;
  };
  set(Node::attention_forward, times.a_forward, times.host_a_forward);
  set(Node::dispatch_forward, times.d_forward, times.host_d_forward);
  set(Node::experts_forward, times.m_forward, times.host_m_forward);
  set(Node::combine_forward, times.c_forward, times.host_c_forward);
  set(Node::combine_backward, times.c_backward, times.host_c_backward);
  set(Node::experts_backward, times.m_data, times.host_m_backward * (1 - late));
  set(Node::experts_wgrad, times.m_weights, times.host_m_backward * late);
  set(Node::dispatch_backward, times.d_backward, times.host_d_backward);
  set(Node::attention_backward, times.a_data, times.host_a_backward * (1 - late));
  set(Node::attention_wgrad, times.a_weights, times.host_a_backward * late);
  return cost;
}

schedule::LayerCost node_costs(const DenseTimes& times, double host_factor, bool delayed_weights) {
  const double late = late_share(delayed_weights);
  schedule::LayerCost cost;
  cost.exchanges = false;
  const auto set = [&](Node node, double gpu, double launches) {
    cost[node].gpu = gpu;
    cost[node].host = launches * host_factor;
  };
  set(Node::attention_forward, times.a_forward, times.host_a_forward);
  set(Node::experts_forward, times.m_forward, times.host_m_forward);
  set(Node::experts_backward, times.m_data + times.replay, times.host_m_backward * (1 - late));
  set(Node::experts_wgrad, times.m_weights, times.host_m_backward * late);
  set(Node::attention_backward, times.a_data, times.host_a_backward * (1 - late));
  set(Node::attention_wgrad, times.a_weights, times.host_a_backward * late);
  return cost;
}

schedule::IssueRules issue_rules(const LayerTimes& times, bool delayed_weights, double latency) {
  schedule::IssueRules rules;
  rules.delayed_wgrad = delayed_weights;
  rules.launch_latency = latency;
  if (times.stalls) {
    rules.sync = schedule::HostSync::before_dispatch;
    rules.sync_cost = times.stall;
  }
  return rules;
}

namespace {

/// The layer's nodes next to those of another micro-batch.
schedule::LayerCost side_by_side(const LayerTimes& times, const Pairing& by) {
  schedule::LayerCost cost = node_costs(times, by.host_factor, by.delayed_weights);
  for (std::size_t node = 0; node < schedule::kNodeCount; ++node) {
    cost.nodes[node].gpu *= schedule::is_exchange(static_cast<schedule::Node>(node))
                                ? by.exchange_factor
                                : by.compute_factor;
  }
  return cost;
}

}  // namespace

double overlap_host_factor(const workload::Exchange& exchange, const Constants& constants) {
  if (!exchange.overlap) {
    return 1;
  }
  return constants.host_overlap * (exchange.delayed_wgrad ? constants.host_delayed_wgrad : 1);
}

Pairing pairing_of(const StepWork& work,
                   const LayerTimes& times,
                   const Constants& constants,
                   const Effects& effects,
                   double host_factor) {
  Pairing pairing;
  pairing.delayed_weights = work.job->exchange.delayed_wgrad;
  pairing.host_factor = host_factor;
  pairing.latency = constants.launch_latency;
  pairing.one_queue = work.job->exchange.one_queue;
  if (effects.contention) {
    constexpr double kNothing = 1e-12;
    const double taken = work.job->exchange.sms;
    const double share = std::min(1.0, times.exchange() / std::max(times.compute(), kNothing));
    pairing.exchange_factor = constants.overlap_exchange;
    pairing.compute_factor = 1 + taken / (work.machine.sms - taken) * constants.overlap_sms * share;
    pairing.loss = constants.overlap_loss;
  }
  return pairing;
}

double paired_layer(const LayerTimes& times, const Pairing& pairing) {
  schedule::IssueRules rules = issue_rules(times, pairing.delayed_weights, pairing.latency);
  rules.one_queue = pairing.one_queue;
  const double period = schedule::pair_period(side_by_side(times, pairing), rules);
  const double serial = times.compute() + times.exchange();
  return std::max(period, period + pairing.loss * (serial - period)) + times.replayed_exchange;
}

namespace {

constexpr std::size_t kHiddenNodes = 4;  // D, M, C, and the next layer's A

double forward_time(const LayerTimes& times, double host_factor) {
  // The part of a node's GPU time that its own launches hide; the A node's first kernels
  // are short.
  constexpr double kOverlapped = 0.5;
  constexpr double kOverlappedA = 0.7;
  const std::array<double, kHiddenNodes> gpu = {
      times.d_forward, times.m_forward, times.c_forward, times.a_forward};
  const std::array<double, kHiddenNodes> host = {times.host_d_forward * host_factor,
                                                 times.host_m_forward * host_factor,
                                                 times.host_c_forward * host_factor,
                                                 times.host_a_forward * host_factor};
  double busy = 0;
  double launches = 0;
  for (std::size_t j = 0; j < kHiddenNodes; ++j) {
    busy += gpu[j];
    launches += host[j];
  }
  if (!times.stalls) {
    return std::max(busy, launches);
  }
  double longest = busy;
  double launched = 0;
  double left = busy;
  for (std::size_t j = 0; j < kHiddenNodes; ++j) {
    launched += host[j];
    const double hidden =
        j + 1 == kHiddenNodes ? kOverlappedA * gpu[j] : kOverlapped * std::min(gpu[j], host[j]);
    longest = std::max(longest, launched + left - hidden);
    left -= gpu[j];
  }
  return std::max(longest, launches) + times.stall;
}

}  // namespace

double soft_max(double a, double b) {
  const double most = std::max(a, b);
  if (most <= 0) {
    return 0;
  }
  const auto eighth = [](double x) {
    const double square = x * x;
    return square * square * square * square;
  };
  return most * std::pow(eighth(a / most) + eighth(b / most), 1.0 / 8);
}

Direction unpaired_layer(const LayerTimes& times, double host_factor) {
  const double busy = times.gpu_backward();
  const double launches = (times.host_c_backward + times.host_m_backward + times.host_d_backward +
                           times.host_a_backward) *
                          host_factor;
  return {forward_time(times, host_factor), soft_max(busy, launches)};
}

namespace {

struct PassSetting {
  const StepWork& work;
  const Constants& constants;
  const Effects& effects;
  const Prices& prices;
  double host_factor = 1;
};

double excess(double duration, double gpu) {
  return gpu > 0 ? duration / gpu - 1 : 0;
}

Passes moe_layer(const PassSetting& on,
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

/// Activations moved to host memory and back: the time beyond the passes that hide them, or the
/// share that their traffic takes from these.
Passes offload_of(const PassSetting& on, const Passes& passes) {
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

/// An encoder of images, which full recomputation repeats where it is trained.
Passes vision_passes(const PassSetting& on) {
  const workload::Workload& job = *on.work.job;
  if (job.architecture.vision.layers == 0) {
    return {};
  }
  const Piece& vision = on.work.vision;
  const double forward =
      soft_max(bf16_gpu_time(vision.forward, on.prices), host_time(vision.forward, on.prices));
  double backward =
      soft_max(bf16_gpu_time(vision.data, on.prices) + bf16_gpu_time(vision.weights, on.prices),
               host_time(vision.data, on.prices) + host_time(vision.weights, on.prices));
  backward += job.recompute.full && !job.architecture.vision.frozen ? forward : 0;
  return one_after_the_other(forward, backward);
}

Passes dense_layer(const PassSetting& on, const Piece& mixer, LayerPasses& layers) {
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
  const PassSetting on{work, constants, effects, prices, factor};
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
  layers.embedding.add(vision_passes(on), 1);
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
