#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "world/files.h"

namespace epwise::hw {

/// One installed Python distribution that matters here, as its metadata folder tells it.
struct Distribution {
  std::string name;      // normalised: "transformer-engine"
  std::string version;   // empty when neither the metadata nor the folder's name tells it
  std::string folder;    // that holds it: "/usr/lib/python3/dist-packages"
  std::string where;     // the metadata: ".../torch-2.9.1+cu128.dist-info"
  std::string checkout;  // an editable install's source folder; empty otherwise
};

/// Metadata of torch, transformer_engine*, megatron_core, megatron_bridge, deep_ep, nemo_fw,
/// nvidia_nccl* and nvidia_cuda_runtime* in the given folders, in that order: *.dist-info,
/// *.egg-info and *.egg. A METADATA that can't be read leaves the version in the folder's name.
std::vector<Distribution> find_distributions(const world::Files& files,
                                             const std::vector<std::string>& folders);

/// Null pointer when that folder has none of that name.
const Distribution* find_distribution(const std::vector<Distribution>& distributions,
                                      std::string_view folder,
                                      std::string_view name);

/// Folders that the *.pth files of a package folder add to the import path.
std::vector<std::string> path_additions(const world::Files& files, const std::string& folder);

}  // namespace epwise::hw
