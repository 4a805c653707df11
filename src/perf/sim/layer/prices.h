#pragma once

#include "perf/sim/constants/constants.h"
#include "perf/sim/work/step_work.h"

namespace epwise::sim {

/// Parts of a step that can be left out to measure their contribution. All enabled: the step
/// itself.
struct Effects {
  bool dispatch = true;  // token exchange, and that of their gradients
  bool combine = true;
  bool contention = true;     // mutual slow-down of overlapping streams
  bool host_launches = true;  // host launch time
  bool host_stalls = true;    // waits for sizes computed on the GPU
  bool imbalance = true;      // the most loaded rank has more tokens than the mean
  bool uneven_stages = true;  // the busiest stage holds up the others
  bool bubble = true;         // fill and drain, transfers
  bool data_parallel = true;  // exposed gradient and parameter traffic
  bool optimizer = true;      // and everything else that happens once per step
};

/// The constants of the step model as factors for one recipe: the cost of a unit of Work.
struct Prices {
  double dense = 1;
  double bf16_dense = 1;  // of layers that stay in BF16
  double grouped = 1;     // with the most loaded rank's tokens
  double attention = 1;
  double softmax_attention = 1;  // with a fused learnable softmax
  double scores = 1;             // passes of an unfused one
  bool fused_softmax = false;
  double memory = 1;
  double fused_memory = 1;  // for experts as one kernel chain
  double router = 1;
  double cross_entropy = 1;
  double scan = 1;
  double collective = 1;
  double launch = 0;          // s per kernel on the GPU
  double fused_launches = 0;  // s of all kernels of fused experts
  double padding = 1;         // of expert work, by static buffers
  double hot = 1;  // rows that the most loaded rank exchanges and permutes, over the mean
  double router_launches = 1;
  double permutation = 1;  // next to fused kernels
  double replay = 0;       // s, a captured graph on the host
  double operation = 0;    // s per framework operation on the host
  double expert_operation = 0;
  double quantised_operation = 0;
};

Prices prices_of(const StepWork& work, const Constants& constants, const Effects& effects);

/// Seconds on the GPU.
double gpu_time(const Work& work, const Prices& prices);

/// The same for a layer that stays in BF16.
double bf16_gpu_time(const Work& work, const Prices& prices);

/// Experts, which may run as one kernel chain.
double expert_gpu_time(const Work& work, const Prices& prices, bool fused);

/// Seconds on the host.
double host_time(const Work& work, const Prices& prices);

}  // namespace epwise::sim
