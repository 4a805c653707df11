#include "gpu/cuda/library.h"

#include <algorithm>
#include <dlfcn.h>

#include "base/os/disk_files.h"
#include "base/os/process_variables.h"

namespace epwise::cuda {

namespace {

/// Python installations: of the active environments, and of the interpreters on the PATH.
std::vector<std::string> python_prefixes(const os::Variables& variables, const os::Files& files) {
  std::vector<std::string> prefixes;
  for (const char* const name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const auto path = variables.get(name)) {
      prefixes.push_back(*path);
    }
  }
  std::string rest = variables.get("PATH").value_or("");
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string folder = rest.substr(0, end);
    rest.erase(0, end + 1);
    if (!folder.empty() && files.is_file(folder + "/python3")) {
      prefixes.push_back(folder + "/..");
    }
  }
  return prefixes;
}

/// Directories outside the loader's search path where toolkits and wheels put libraries.
std::vector<std::string> library_folders(const os::Variables& variables) {
  std::vector<std::string> folders;
  for (const char* const home : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const auto path = variables.get(home)) {
      folders.push_back(*path + "/lib64");
      folders.push_back(*path + "/lib");
    }
  }
  folders.emplace_back("/usr/local/cuda/lib64");
  const os::DiskFiles files;
  for (const std::string& prefix : python_prefixes(variables, files)) {
    for (const std::string& python : os::list_if_possible(files, prefix + "/lib")) {
      const std::string packages = prefix + "/lib/" + python;
      for (const char* const site : {"/site-packages/nvidia", "/dist-packages/nvidia"}) {
        for (const std::string& package : os::list_if_possible(files, packages + site)) {
          folders.push_back(packages + site + "/" + package + "/lib");
        }
      }
    }
  }
  return folders;
}

}  // namespace

void Library::Closer::operator()(void* handle) const {
  dlclose(handle);
}

Library::Library(std::string_view override_variable, const std::vector<std::string>& names) {
  const os::ProcessVariables variables;
  const auto open = [this](const std::string& path) {
    handle_.reset(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
    return handle_ != nullptr;
  };
  if (const auto named = variables.get(std::string(override_variable))) {
    if (!open(*named)) {
      reason_ = std::string(override_variable) + " names " + *named + ", which cannot be opened";
    }
    return;
  }
  for (const std::string& name : names) {
    if (open(name)) {
      return;
    }
  }
  for (const std::string& folder : library_folders(variables)) {
    for (const std::string& name : names) {
      if (open(folder + "/" + name)) {
        return;
      }
    }
  }
  reason_ = names.front() + " is not installed";
}

void* Library::symbol(const char* name) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_.get(), name);
}

}  // namespace epwise::cuda
