#include "perf/sim/layer/prices.h"

#include <algorithm>

namespace epwise::sim {

namespace {

double imbalance_of(const StepWork& work, const Constants& constants) {
  if (work.stated.imbalance > 0) {
    return work.stated.imbalance;
  }
  switch (work.job->routing.balance) {
    case workload::Balance::dropped:
      return work.job->routing.limited(work.job->routing.even ? constants.imbalance_forced
                                                              : constants.imbalance_natural);
    case workload::Balance::forced:
      return constants.imbalance_forced;
    case workload::Balance::natural:
      return constants.imbalance_natural;
  }
  return 1;
}

double low_precision(workload::Precision precision, bool blackwell, const Constants& constants) {
  if (precision == workload::Precision::bf16) {
    return 1;
  }
  if (!blackwell) {
    return constants.fp8_hopper;
  }
  return precision == workload::Precision::nvfp4 ? constants.fp4_blackwell
                                                 : constants.fp8_blackwell;
}

/// Host time of quantising over that with recent releases of Transformer Engine.
double quantising_launches(const workload::Workload& job, const Constants& constants) {
  const bool swizzled = job.precision == workload::Precision::mxfp8;
  return 1 + (job.kernels.separate_allocations ? constants.separate_allocations : 0) +
         (job.kernels.separate_swizzle && swizzled ? constants.separate_swizzle : 0);
}

/// All kernels except GEMMs and attention.
double other_time(const Work& work, const Prices& prices) {
  return work.memory * prices.memory + work.router * prices.router +
         work.cross_entropy * prices.cross_entropy + work.scan * prices.scan +
         work.collective * prices.collective + work.kernels * prices.launch;
}

double attention_time(const Work& work, const Prices& prices) {
  if (work.scores <= 0) {
    return work.attention * prices.attention;
  }
  // Passes over the score matrix replace a fused kernel.
  return prices.fused_softmax ? work.attention * prices.softmax_attention
                              : work.scores * prices.scores;
}

}  // namespace

Prices prices_of(const StepWork& work, const Constants& constants, const Effects& effects) {
  const workload::Workload& job = *work.job;
  const Machine& machine = work.machine;
  const bool graph = job.graphs.full_iteration;
  Prices prices;
  prices.bf16_dense = machine.blackwell ? constants.gemm_blackwell : constants.gemm_hopper;
  prices.dense = prices.bf16_dense * low_precision(job.precision, machine.blackwell, constants);
  const double imbalance = effects.imbalance ? imbalance_of(work, constants) : 1;
  prices.grouped = prices.dense * constants.grouped_gemm * imbalance;
  const double excess = imbalance / constants.imbalance_forced - 1;
  prices.hot = 1 + constants.imbalance_exchange * std::max(0.0, excess);
  const double core = constants.attention * (machine.ultra ? constants.ultra_attention : 1);
  prices.attention = core * (job.kernels.fp8_attention ? constants.fp8_attention : 1);
  prices.softmax_attention = core * constants.fused_softmax;
  prices.scores = constants.unfused_softmax_passes;
  prices.fused_softmax = job.kernels.fused_softmax;
  prices.memory = constants.memory_kernels;
  prices.fused_memory = constants.memory_kernels * constants.expert_fusion;
  prices.router_launches = job.kernels.fused_router ? constants.router_fusion : 1;
  prices.router = constants.router * prices.router_launches;
  const bool own_kernels = workload::deduplicates(job.exchange.dispatcher);
  prices.permutation = own_kernels || job.exchange.permute_fusion ? 1 : constants.permute_unfused;
  prices.cross_entropy = constants.cross_entropy;
  prices.scan = constants.scan;
  prices.collective = constants.tensor_parallel *
                      (job.parallel.tensor_overlap ? constants.tensor_parallel_exposed : 1);
  prices.launch = constants.kernel_launch * (graph ? constants.graph_launch : 1);
  constexpr double kFusedKernels = 3;
  prices.fused_launches = kFusedKernels * constants.kernel_launch;
  prices.padding = 1 + constants.capacity_padding * (job.routing.rank_capacity - 1);
  if (effects.host_launches) {
    const double usual = machine.grace ? constants.host_arm : constants.host_x86;
    const double bound = usual * (work.stated.unbound ? constants.host_unbound : 1);
    prices.operation = work.stated.host_operation > 0 ? work.stated.host_operation : bound;
    prices.replay = prices.operation * constants.host_replay;
    prices.expert_operation = prices.operation * constants.host_expert_launch * 0.5;
    prices.quantised_operation =
        prices.operation * constants.host_quantised_gemm * quantising_launches(job, constants);
  }
  return prices;
}

double gpu_time(const Work& work, const Prices& prices) {
  return work.dense * prices.dense + work.grouped * prices.grouped + attention_time(work, prices) +
         other_time(work, prices);
}

double bf16_gpu_time(const Work& work, const Prices& prices) {
  return work.dense * prices.bf16_dense + attention_time(work, prices) + other_time(work, prices);
}

double expert_gpu_time(const Work& work, const Prices& prices, bool fused) {
  if (!fused) {
    return gpu_time(work, prices);
  }
  return (work.grouped * prices.grouped + work.memory * prices.fused_memory) * prices.padding +
         prices.fused_launches;
}

double host_time(const Work& work, const Prices& prices) {
  return work.operations * prices.operation + work.expert_products * prices.expert_operation +
         work.quantisations * prices.quantised_operation;
}

}  // namespace epwise::sim
