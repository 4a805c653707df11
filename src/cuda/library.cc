#include "cuda/library.h"

#include <dlfcn.h>

#include "world/disk_files.h"
#include "world/process_variables.h"

namespace epwise::cuda {

namespace {

/// Folders outside of the loader's own places where toolkits and wheels put libraries.
std::vector<std::string> library_folders(const world::Variables& variables) {
  std::vector<std::string> folders;
  for (const char* const home : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const auto path = variables.get(home)) {
      folders.push_back(*path + "/lib64");
      folders.push_back(*path + "/lib");
    }
  }
  const world::DiskFiles files;
  for (const char* const prefix : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const auto path = variables.get(prefix);
    if (!path) {
      continue;
    }
    for (const std::string& python : world::list_if_possible(files, *path + "/lib")) {
      const std::string wheels = *path + "/lib/" + python + "/site-packages/nvidia";
      for (const std::string& package : world::list_if_possible(files, wheels)) {
        folders.push_back(wheels + "/" + package + "/lib");
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
  const world::ProcessVariables variables;
  const auto open = [this](const std::string& path) {
    handle_.reset(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
    return handle_ != nullptr;
  };
  if (const auto named = variables.get(std::string(override_variable))) {
    if (!open(*named)) {
      reason_ = std::string(override_variable) + " names " + *named + ", which can't be opened";
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
  reason_ = names.front() + " is not here";
}

void* Library::symbol(const char* name) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_.get(), name);
}

}  // namespace epwise::cuda
