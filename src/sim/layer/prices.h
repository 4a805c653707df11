#pragma once

#include "sim/constants/constants.h"
#include "sim/layer/effects.h"
#include "sim/work/step_work.h"

namespace epwise::sim {

/// The constants of the step model as factors for one recipe: what a unit of Work takes.
struct Prices {
  double dense = 1;
  double bf16_dense = 1;  // of layers that stay in BF16
  double grouped = 1;     // with the hottest rank's tokens
  double attention = 1;
  double softmax_attention = 1;  // with a fused learnable softmax
  double scores = 1;             // passes of an unfused one
  bool fused_softmax = false;
  double memory = 1;
  double fused_memory = 1;  // of experts as one kernel chain
  double router = 1;
  double cross_entropy = 1;
  double scan = 1;
  double collective = 1;
  double launch = 0;          // s of one kernel on the GPU
  double fused_launches = 0;  // s of all kernels of fused experts
  double padding = 1;         // of expert work, by static buffers
  double operation = 0;       // s of one framework operation on the host
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
