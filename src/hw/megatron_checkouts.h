#pragma once

#include <string>
#include <vector>

#include "hw/component.h"
#include "hw/distributions.h"
#include "world/files.h"

namespace epwise::hw {

/// mcore, bridge and mlm of this machine. In this order:
///   1. megatron/core/package_info.py in the working directory, which a launch from a checkout of
///      Megatron-LM imports first; then on the import path and what *.pth files add to it;
///   2. the source of an editable install; 3. the metadata of an ordinary one;
///   4. checkouts under the working directory and where NeMo containers keep theirs.
/// mlm is there when megatron/training stands beside the core that was found.
std::vector<Component> find_megatron(const world::Files& files,
                                     const std::vector<std::string>& folders,
                                     const std::vector<Distribution>& distributions);

}  // namespace epwise::hw
