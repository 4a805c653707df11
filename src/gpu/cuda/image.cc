#include "gpu/cuda/image.h"

extern "C" {
extern const std::byte epwise_kernel_image[];
extern const std::byte epwise_kernel_image_end[];
}

namespace epwise::cuda {

std::span<const std::byte> kernel_image() {
  return {epwise_kernel_image,
          static_cast<std::size_t>(epwise_kernel_image_end - epwise_kernel_image)};
}

}  // namespace epwise::cuda
