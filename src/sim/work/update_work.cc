#include "sim/work/update_work.h"

#include "model/parameters.h"

namespace epwise::sim {

namespace {

/// A ring moves all but its own part past every rank.
double ring_time(double bytes, double ranks, double rate) {
  return ranks <= 1 ? 0 : bytes * (ranks - 1) / ranks / rate;
}

/// Of the stage that holds most.
model::RankParameters largest_rank(const model::Workload& job) {
  model::RankParameters largest;
  for (int stage = 0; stage < job.parallel.pipeline; ++stage) {
    const model::RankParameters here = model::rank_parameters(job, stage);
    if (here.dense + here.expert > largest.dense + largest.expert) {
      largest = here;
    }
  }
  return largest;
}

}  // namespace

UpdateWork update_work(const model::Workload& job,
                       const Machine& machine,
                       const Constants& constants) {
  constexpr double kGradient = 4;     // bytes, FP32
  constexpr double kWeight = 2;       // bytes, BF16
  constexpr double kStates = 30;      // bytes an update reads and writes for each state
  constexpr double kParameter = 8;    // bytes of clearing, scaling and copying a parameter
  constexpr double kHostStates = 16;  // bytes a state in host memory moves
  constexpr double kHostShare = 0.1;  // of PCIe that updates on the host reach
  const model::RankParameters own = largest_rank(job);
  const double replicas = job.parallel.dense_replicas();
  const double expert_replicas = job.parallel.expert_data;
  const bool leaves_domain = job.parallel.gpus > machine.domain;
  const double link = leaves_domain ? machine.nic_rate : machine.nvlink_rate;
  const double memory = machine.memory_rate * constants.share_optimizer;
  const double states = own.dense / replicas + own.expert / expert_replicas;
  UpdateWork update;
  update.gradient_ring = ring_time(own.dense * kGradient, replicas, link) +
                         ring_time(own.expert * kGradient, expert_replicas, link);
  update.weight_ring = ring_time(own.dense * kWeight, replicas, link) +
                       ring_time(own.expert * kWeight, expert_replicas, link);
  update.optimizer_memory = (states * kStates + (own.dense + own.expert) * kParameter) / memory;
  if (job.optimizer.host_fraction > 0 && machine.pcie_rate > 0) {
    update.host_states =
        job.optimizer.host_fraction * states * kHostStates / (machine.pcie_rate * kHostShare);
  }
  update.tensors = own.tensors;
  return update;
}

}  // namespace epwise::sim
