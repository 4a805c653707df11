#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hw/component.h"
#include "hw/device.h"
#include "hw/profile.h"
#include "world/files.h"

namespace epwise::hw {

/// Something about this machine, for `epwise doctor`.
struct Fact {
  std::string name;   // "GPU", "Python", "packages", "job"
  std::string value;  // "8 × NVIDIA H100 80GB HBM3"
  std::string where;  // "libnvidia-ml.so.1"

  bool operator==(const Fact&) const = default;
};

/// What the machine is that this process runs on, as far as files, variables and the driver tell;
/// no process is started, nothing is imported. In a NeMo container with eight GPUs:
///
///   GPU       8 × NVIDIA H100 80GB HBM3      libnvidia-ml.so.1
///   Python    3.12.3                         VIRTUAL_ENV=/opt/venv
///   te        2.12.0+5671fd36 /opt/venv/…/transformer_engine-2.12.0+5671fd36.dist-info missing
///   gpus: no job around this process: --gpus 8 for a run on this node alone
struct Machine {
  std::vector<Gpu> gpus;
  const Profile* profile = nullptr;  // none: no GPU, or GPUs that no profile describes
  std::string profile_where;         // "libnvidia-ml.so.1: NVIDIA H100 80GB HBM3"
  std::optional<int> job_gpus;       // the world size
  std::string job_where;
  std::string container;              // "nemo-26.04", "pytorch-25.11"; empty outside
  std::vector<Component> components;  // sorted by name, each name once
  std::vector<Fact> facts;            // everything else that was found, in the order of telling
  std::vector<Missing> missing;       // what a check may want and nobody told
};

Machine inspect(const world::Files& files,
                const world::Variables& variables,
                const DeviceProbe& probe);

}  // namespace epwise::hw
