#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "calibrate/work/backend.h"
#include "gpu/cuda/blas.h"
#include "gpu/cuda/driver.h"
#include "gpu/cuda/library.h"
#include "gpu/cuda/nccl.h"
#include "gpu/cuda/nvml.h"

namespace epwise::cuda {

/// The interfaces through which a backend accesses the device; tests replace them.
struct Doors {
  LoadedDriver driver = {};
  Nvml nvml = {};
  OpenedBlas (*open_blas)(const Library*) = nullptr;  // once the context exists
  LoadedNccl nccl = {};
  std::span<const std::byte> image = {};
  // Keep the functions above valid.
  std::unique_ptr<Library> driver_library = nullptr;
  std::unique_ptr<Library> nvml_library = nullptr;
  std::unique_ptr<Library> blas_library = nullptr;
  std::unique_ptr<Library> nccl_library = nullptr;
};

/// The real ones of this machine. cuBLAS (half a gigabyte) is loaded later, and only if there is a
/// GPU.
Doors machine_doors();

/// The backend of this rank's GPU, or why there is none.
calibrate::OpenedBackend open_backend(calibrate::Ranks& ranks,
                                      const calibrate::BackendSettings& settings,
                                      Doors doors);

}  // namespace epwise::cuda
