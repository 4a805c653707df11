#pragma once

#include <string>
#include <vector>

#include "base/os/files.h"
#include "hw/component.h"

namespace epwise::hw {

/// The Python interpreter that a job started here would use, found without running it.
///
/// Search order: VIRTUAL_ENV, CONDA_PREFIX, then `python3` on PATH, whose symbolic link and
/// pyvenv.cfg lead to its packages; without any of them the standard directories of a container.
struct PythonEnvironment {
  std::string where;                 // "VIRTUAL_ENV=/opt/venv", "/usr/bin/python3"
  std::string version;               // "3.12.3" or "3.12"; empty if unknown
  std::vector<std::string> folders;  // package directories in import order; all exist
};

/// PYTHONPATH comes first, then the packages of the environment, of the user and of the system. A
/// virtual environment without system packages has only its own.
PythonEnvironment find_python(const os::Files& files, const os::Variables& variables);

/// The Python packages of this machine, from their metadata only.
struct PythonPackages {
  std::vector<Component> components;
  std::vector<Missing> problems;  // two versions of the same package
};

/// Looks for torch (and the CUDA it was built with), transformer_engine*, megatron-core,
/// megatron-bridge, deep_ep (and HybridEP inside it), nvidia-nccl-* and nvidia-cuda-runtime*.
///
/// The first directory in import order wins. Megatron is identified by its package_info.py, which
/// is present in an editable install or a checkout on PYTHONPATH (or in the working directory) even
/// without metadata; NeMo containers keep theirs under /opt.
PythonPackages find_packages(const os::Files& files, const PythonEnvironment& python);

}  // namespace epwise::hw
