#pragma once

#include <cstddef>
#include <span>

namespace epwise::cuda {

/// The kernels of kernels/ for all architectures, as produced by nvcc (a fat binary); empty in a
/// build without nvcc.
std::span<const std::byte> kernel_image();

}  // namespace epwise::cuda
