#pragma once

#include <string>
#include <vector>

#include "hw/component.h"
#include "hw/python_environment.h"
#include "world/files.h"

namespace epwise::hw {

/// What the Python packages of this machine are, from their metadata alone.
struct PythonPackages {
  std::vector<Component> components;
  std::vector<Missing> problems;  // two versions of one package side by side
};

/// Looks for torch (and the CUDA it was built with), transformer_engine*, megatron-core,
/// megatron-bridge, deep_ep (and HybridEP inside it), nvidia-nccl-* and nvidia-cuda-runtime*.
///
/// The first folder of the import order wins. Megatron counts by its package_info.py, which an
/// editable install or a checkout on PYTHONPATH (or in the working directory) shows even without
/// metadata; NeMo containers keep theirs under /opt.
PythonPackages find_packages(const world::Files& files, const PythonEnvironment& python);

}  // namespace epwise::hw
