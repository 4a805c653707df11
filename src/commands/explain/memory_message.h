#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace epwise::audit {

/// Says in sentences what the sizes in PyTorch's out-of-memory message mean: whether memory was
/// fragmented, held outside PyTorch, by other processes or by graphs. Reads the wording of PyTorch
/// 1.x and 2.x; empty if the message has no sizes.
///   "Tried to allocate 9.27 GiB. … 60.90 GiB is reserved by PyTorch but unallocated" →
///   {"60.9 GiB were reserved but unused, more than the 9.3 GiB requested: …"}
std::vector<std::string> memory_facts(std::string_view message);

}  // namespace epwise::audit
