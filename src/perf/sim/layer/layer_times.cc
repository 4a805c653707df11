#include "perf/sim/layer/layer_times.h"

#include <algorithm>

namespace epwise::sim {

namespace {

struct HostPair {
  double forward = 0;
  double backward = 0;
};

HostPair host_of(const Piece& piece, const Prices& prices) {
  return {host_time(piece.forward, prices),
          host_time(piece.data, prices) + host_time(piece.weights, prices)};
}

/// Replaying a captured graph: itself and its inputs.
HostPair replayed(const Prices& prices) {
  return {prices.replay, prices.replay};
}

/// Host time of node A; CUDA graphs replace parts of it.
HostPair host_a(const StepWork& work, const Piece& mixer, const Prices& prices) {
  const workload::Graphs& graphs = work.job->graphs;
  constexpr double kWithMambaGraphs = 0.25;
  HostPair mixing = host_of(mixer, prices);
  if (graphs.attention) {
    mixing = replayed(prices);
  } else if (graphs.mamba && work.job->architecture.mamba.heads > 0) {
    mixing.forward *= kWithMambaGraphs;
    mixing.backward *= kWithMambaGraphs;
  }
  HostPair rest = host_of(work.router, prices);
  rest.forward *= prices.router_launches;
  rest.backward *= prices.router_launches;
  if (graphs.router) {
    rest = replayed(prices);
  }
  // The router's graph captures the shared expert unless that runs on its own stream.
  if (!graphs.router || work.job->exchange.shared_expert_overlap) {
    const HostPair shared = host_of(work.shared_expert, prices);
    rest.forward += shared.forward;
    rest.backward += shared.backward;
  }
  return {mixing.forward + rest.forward, mixing.backward + rest.backward};
}

/// Recompute added before the backward nodes.
struct Replay {
  double a = 0;
  double m = 0;
  double host_a = 0;
  double host_m = 0;
  double exchange = 0;
};

/// Layers that full recomputation runs again: by blocks the first ones of each chunk.
double recomputed_share(const workload::Workload& job) {
  const workload::Recompute& what = job.recompute;
  if (!what.block) {
    return 1;
  }
  double layers = 0;
  double again = 0;
  for (const workload::Chunk& chunk : job.parallel.chunks) {
    layers += chunk.layers;
    again += std::min(what.interval, chunk.layers);
  }
  return layers > 0 ? again / layers : 1;
}

void replay_experts(Replay& replay, const LayerTimes& times, double sides, double exchange) {
  replay.m += times.m_forward + sides;
  replay.exchange += exchange;
  replay.host_m += times.host_m_forward + times.host_d_forward + times.host_c_forward;
}

Replay replay_of(const StepWork& work,
                 const Piece& mixer,
                 const LayerTimes& times,
                 const Constants& constants,
                 const Prices& prices,
                 double sides,
                 double exchange) {
  const workload::Recompute& what = work.job->recompute;
  const double operation = prices.operation;
  Replay replay;
  if (what.core_attention) {
    replay.a += mixer.forward.attention * constants.attention;
    replay.host_a += 2 * operation;
  }
  if (what.latent_projections && work.job->architecture.latent.key_value_rank > 0) {
    replay.a +=
        0.35 * mixer.forward.dense * prices.dense + 0.5 * mixer.forward.memory * prices.memory;
    replay.host_a += 8 * operation;
  }
  if (what.norms) {
    replay.a += work.norm_replay * prices.memory;
    replay.host_a += 4 * operation;
  }
  if (what.shared_expert) {
    replay.a += gpu_time(work.shared_expert.forward, prices);
    replay.host_a += host_time(work.shared_expert.forward, prices);
  }
  if (what.expert_activation) {
    replay.m += work.activation_replay * prices.memory;
    replay.host_m += 2 * operation;
  }
  if (what.experts) {
    replay_experts(replay, times, sides, exchange);
  }
  if (what.full) {
    const double share = recomputed_share(*work.job);
    replay.a += share * times.a_forward;
    replay.host_a += share * times.host_a_forward;
    Replay experts;
    replay_experts(experts, times, sides, exchange);
    replay.m += share * experts.m;
    replay.exchange += share * experts.exchange;
    replay.host_m += share * experts.host_m;
  }
  return replay;
}

void clear_host(LayerTimes& times) {
  times.host_a_forward = times.host_a_backward = 0;
  times.host_m_forward = times.host_m_backward = 0;
  times.host_d_forward = times.host_d_backward = 0;
  times.host_c_forward = times.host_c_backward = 0;
  times.stalls = false;
  times.stall = 0;
}

/// A dropless dispatch with dynamically sized buffers makes the host wait for the GPU's counts.
bool waits_for_sizes(const workload::Workload& job) {
  const bool fixed_buffers =
      job.routing.rank_capacity > 1 && job.exchange.dispatcher != workload::Dispatcher::alltoall;
  return !job.graphs.full_iteration && !job.routing.padded && !fixed_buffers;
}

/// `hidden` runs concurrently with `exchange`: the part that remains exposed, including contention.
double beside(double hidden, double exchange, double loss) {
  return std::max(0.0, hidden - exchange) + loss * std::min(hidden, exchange);
}

/// What a recipe without combined 1F1B can hide inside a layer: the shared expert, half of it next
/// to either exchange, and the experts' weight gradients next to the dispatch of the backward pass.
void hide_inside(LayerTimes& times,
                 const StepWork& work,
                 const Constants& constants,
                 const Prices& prices,
                 const Effects& effects) {
  const workload::Exchange& exchange = work.job->exchange;
  if (exchange.overlap || work.job->parallel.expert <= 1) {
    return;
  }
  const double loss = effects.contention ? constants.overlap_loss : 0;
  if (exchange.shared_expert_overlap) {
    const Piece& shared = work.shared_expert;
    const double forward = 0.5 * gpu_time(shared.forward, prices);
    const double data = 0.5 * gpu_time(shared.data, prices);
    const double weights = 0.5 * gpu_time(shared.weights, prices);
    for (const double node : {times.d_forward, times.c_forward}) {
      times.a_forward += beside(forward, node, loss) - forward;
    }
    for (const double node : {times.c_backward, times.d_backward}) {
      times.a_data += beside(data, node, loss) - data;
      times.a_weights += beside(weights, std::max(0.0, node - data), loss) - weights;
    }
  }
  if (exchange.wgrad_beside_dispatch) {
    times.m_weights = beside(times.m_weights, times.d_backward, loss);
  }
}

void time_gpu(LayerTimes& times, const StepWork& work, const Piece& mixer, const Prices& prices) {
  const bool fused = work.job->kernels.fused_experts;
  const Piece& router = work.router;
  const Piece& shared = work.shared_expert;
  times.a_forward = gpu_time(mixer.forward, prices) + gpu_time(router.forward, prices) +
                    gpu_time(shared.forward, prices);
  times.a_data =
      gpu_time(mixer.data, prices) + gpu_time(router.data, prices) + gpu_time(shared.data, prices);
  times.a_weights = gpu_time(mixer.weights, prices) + gpu_time(router.weights, prices) +
                    gpu_time(shared.weights, prices);
  times.m_forward = expert_gpu_time(work.experts.forward, prices, fused);
  times.m_data = expert_gpu_time(work.experts.data, prices, fused);
  times.m_weights = expert_gpu_time(work.experts.weights, prices, fused);
}

void time_host(LayerTimes& times, const StepWork& work, const Piece& mixer, const Prices& prices) {
  constexpr double kBackward = 0.8;         // of the launches of the forward side
  constexpr double kWithPreprocess = 0.55;  // left by graphs of the pre-process
  const HostPair a = host_a(work, mixer, prices);
  times.host_a_forward = a.forward;
  times.host_a_backward = a.backward;
  const HostPair experts = host_of(work.experts, prices);
  times.host_m_forward = experts.forward;
  times.host_m_backward = experts.backward;
  const double dispatch = host_time(work.dispatch_side, prices) * prices.permutation *
                          (work.job->graphs.preprocess ? kWithPreprocess : 1);
  const double combine = host_time(work.combine_side, prices) * prices.permutation;
  times.host_d_forward = dispatch;
  times.host_d_backward = dispatch * kBackward;
  times.host_c_forward = combine;
  times.host_c_backward = combine * kBackward;
}

}  // namespace

double priced_exchange(const StepWork& work, const Constants& constants) {
  const double gathering = work.gathering * constants.tensor_parallel;
  if (work.job->parallel.expert <= 1) {
    return gathering;
  }
  const bool far = work.several_domains;
  if (workload::deduplicates(work.job->exchange.dispatcher)) {
    return work.exchange * (far ? constants.flex_nic : constants.flex_nvlink) +
           constants.flex_launch + gathering;
  }
  return work.exchange * (far ? constants.alltoall_nic : constants.alltoall_nvlink) +
         constants.alltoall_launch + gathering;
}

DenseTimes dense_times(const StepWork& work, const Piece& mixer, const Prices& prices) {
  const workload::Workload& job = *work.job;
  const auto gpu = [&](const Work& part) { return gpu_time(part, prices); };
  DenseTimes times;
  times.a_forward = gpu(mixer.forward);
  times.a_data = gpu(mixer.data);
  times.a_weights = gpu(mixer.weights);
  times.m_forward = gpu(work.dense_mlp.forward);
  times.m_data = gpu(work.dense_mlp.data);
  times.m_weights = gpu(work.dense_mlp.weights);
  if (job.recompute.full) {
    times.replay = recomputed_share(job) * (times.a_forward + times.m_forward);
  } else if (job.recompute.dense_mlp) {
    times.replay = times.m_forward;
  }
  if (!job.graphs.full_iteration && !job.graphs.whole_layers) {
    const HostPair mixing = host_of(mixer, prices);
    const HostPair mlp = host_of(work.dense_mlp, prices);
    times.host_a_forward = mixing.forward;
    times.host_a_backward = mixing.backward;
    times.host_m_forward = mlp.forward;
    times.host_m_backward = mlp.backward;
  }
  return times;
}

LayerTimes layer_times(const StepWork& work,
                       const Piece& mixer,
                       const Constants& constants,
                       const Prices& prices,
                       const Effects& effects) {
  LayerTimes times;
  time_gpu(times, work, mixer, prices);
  time_host(times, work, mixer, prices);

  const double exchange = priced_exchange(work, constants) * prices.hot;
  const double dispatch = effects.dispatch ? exchange : 0;
  const double combine = effects.combine ? exchange : 0;
  const double sides = prices.padding * prices.permutation * prices.hot;
  const double before = effects.dispatch ? gpu_time(work.dispatch_side, prices) * sides : 0;
  const double behind = effects.combine ? gpu_time(work.combine_side, prices) * sides : 0;
  const bool prepared = effects.dispatch && work.job->parallel.expert > 1 &&
                        workload::deduplicates(work.job->exchange.dispatcher);
  times.d_forward = dispatch + before + (prepared ? constants.flex_preparation : 0);
  times.d_backward = dispatch + before;
  times.c_forward = combine + behind;
  times.c_backward = combine + behind;

  hide_inside(times, work, constants, prices, effects);
  const Replay replay =
      replay_of(work, mixer, times, constants, prices, before + behind, dispatch + combine);
  times.a_data += replay.a;
  times.m_data += replay.m;
  // Schedule, transfers and hooks of a pipeline chunk, distributed over its layers.
  const double chunk = work.pipeline.stages > 1
                           ? prices.operation * constants.host_chunk / work.layers_per_chunk
                           : 0;
  times.host_a_forward += chunk;
  times.host_a_backward += chunk + replay.host_a;
  times.host_m_backward += replay.host_m;
  times.replayed_exchange = replay.exchange;

  times.stalls = effects.host_stalls && waits_for_sizes(*work.job);
  times.stall = times.stalls ? constants.host_sync : 0;
  if (work.job->graphs.full_iteration || work.job->graphs.whole_layers) {
    clear_host(times);
  }
  return times;
}

}  // namespace epwise::sim
