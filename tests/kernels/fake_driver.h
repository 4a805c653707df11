#pragma once

#include <functional>

#include "emulator/device.h"
#include "gpu/cuda/backend.h"

namespace epwise::kernel_tests {

/// A driver whose device is the emulated one: memory is the host's, kernels run as fibers, events
/// tell the emulated time. With it the whole backend runs on a machine without a GPU. One at a
/// time.
class FakeDriver {
 public:
  explicit FakeDriver(emulator::Device& device, std::size_t memory = std::size_t{1} << 30U);
  ~FakeDriver();
  FakeDriver(const FakeDriver&) = delete;
  FakeDriver& operator=(const FakeDriver&) = delete;

  /// What a backend is opened with. `blas`: with products computed one element after the other.
  cuda::Doors doors(bool blas = true) const;

  /// Bytes that are allocated now.
  std::size_t allocated() const;
};

/// Something that a library does on a stream, and how long it takes there.
void enqueue_on_device(cuda::Stream stream, std::function<void()> act, std::uint64_t ns);

/// cuBLASLt with products computed one element after the other; and a machine without it.
cuda::OpenedBlas fake_blas(const cuda::Library* library);
cuda::OpenedBlas no_blas(const cuda::Library* library);

}  // namespace epwise::kernel_tests
