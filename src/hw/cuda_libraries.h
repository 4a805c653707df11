#pragma once

#include <optional>
#include <vector>

#include "hw/component.h"
#include "hw/device.h"
#include "world/files.h"

namespace epwise::hw {

/// The CUDA toolkit: CUDA_VERSION of NVIDIA's images, else version.json of CUDA_HOME or
/// /usr/local/cuda.
std::optional<Component> find_cuda_toolkit(const world::Files& files,
                                           const world::Variables& variables);

/// NCCL outside Python: the real name of libnccl.so.2 on LD_LIBRARY_PATH and in the system's
/// folders, else NCCL_VERSION of NVIDIA's images, which may be older than what was installed later.
std::optional<Component> find_nccl(const world::Files& files, const world::Variables& variables);

/// GPUs and driver as the kernel module lists them under /proc/driver/nvidia, for a container that
/// has no driver library.
Devices devices_in_proc(const world::Files& files);

}  // namespace epwise::hw
