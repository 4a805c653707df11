#pragma once

#include <optional>
#include <string>

#include "world/files.h"

namespace epwise::hw {

/// How many GPUs the job around this process has.
struct JobSize {
  std::optional<int> gpus;
  std::string where;  // "SLURM_JOB_NUM_NODES=4 × SLURM_GPUS_ON_NODE=8"
  std::string
      problem;  // why the variables that are there don't settle it; empty when there are none
};

/// From the environment of torchrun, Slurm, Kubeflow and Open MPI, in this order. Never guesses: a
/// WORLD_SIZE alone counts processes under torchrun and machines under Kubernetes, tasks that are
/// neither one a node nor one a GPU leave it open.
///   {SLURM_NNODES=2, SLURM_GPUS_ON_NODE=8} → 16
///   {WORLD_SIZE=16, LOCAL_WORLD_SIZE=8} → 16
JobSize find_job_size(const world::Variables& variables);

}  // namespace epwise::hw
