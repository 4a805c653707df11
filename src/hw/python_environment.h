#pragma once

#include <string>
#include <vector>

#include "world/files.h"

namespace epwise::hw {

/// The Python that a job started here would use, found without running it.
///
/// Order of search: VIRTUAL_ENV, CONDA_PREFIX, then `python3` on PATH, whose symbolic link and
/// pyvenv.cfg say where its packages are; without any of them the usual folders of a container.
struct PythonEnvironment {
  std::string where;                 // "VIRTUAL_ENV=/opt/venv", "/usr/bin/python3"
  std::string version;               // "3.12.3" or "3.12"; empty when not known
  std::vector<std::string> folders;  // that hold packages, in the order of import, all present
};

/// PYTHONPATH comes first, then the environment's own packages, the user's, the system's. A virtual
/// environment that shuts the system out has only its own.
PythonEnvironment find_python(const world::Files& files, const world::Variables& variables);

}  // namespace epwise::hw
