#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/os/files.h"
#include "hw/component.h"
#include "hw/device.h"
#include "hw/profile.h"

namespace epwise::hw {

/// A fact about this machine, for `epwise doctor`.
struct Fact {
  std::string name;   // "GPU", "Python", "packages", "job"
  std::string value;  // "8 × NVIDIA H100 80GB HBM3"
  std::string where;  // "libnvidia-ml.so.1"

  bool operator==(const Fact&) const = default;
};

/// The machine of this process, as far as files, variables and the driver show it; starts no
/// process and imports nothing. In a NeMo container with eight GPUs:
///
///   GPU       8 × NVIDIA H100 80GB HBM3      libnvidia-ml.so.1
///   Python    3.12.3                         VIRTUAL_ENV=/opt/venv
///   te        2.12.0+5671fd36 /opt/venv/…/transformer_engine-2.12.0+5671fd36.dist-info missing
///   gpus: no job around this process: --gpus 8 for a run on this node alone
struct Machine {
  std::vector<Gpu> gpus;
  const Profile* profile = nullptr;  // none: no GPU, or GPUs without a profile
  std::string profile_where;         // "libnvidia-ml.so.1: NVIDIA H100 80GB HBM3"
  std::optional<int> job_gpus;       // world size
  std::string job_where;
  std::string container;              // "nemo-26.04", "pytorch-25.11"; empty outside a container
  std::vector<Component> components;  // sorted by name, each name once
  std::vector<Fact> facts;            // all other findings, in display order
  std::vector<Missing> missing;       // facts that a check may need and that were not found
};

Machine inspect(const os::Files& files, const os::Variables& variables, const DeviceProbe& probe);

/// The number of GPUs of the job around this process.
struct JobSize {
  std::optional<int> gpus;
  std::string where;  // "SLURM_JOB_NUM_NODES=4 × SLURM_GPUS_ON_NODE=8"
  // why the variables do not determine it; empty if there are none
  std::string problem;
};

/// From the environment of torchrun, Slurm, Kubeflow and Open MPI, in this order. Never guesses:
/// WORLD_SIZE alone counts processes under torchrun and machines under Kubernetes; if tasks are
/// neither one per node nor one per GPU, the size is unknown.
///   {SLURM_NNODES=2, SLURM_GPUS_ON_NODE=8} → 16
///   {WORLD_SIZE=16, LOCAL_WORLD_SIZE=8} → 16
JobSize find_job_size(const os::Variables& variables);

}  // namespace epwise::hw
