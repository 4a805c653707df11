#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "calibrate/work/backend.h"
#include "cuda/blas.h"
#include "cuda/driver.h"
#include "cuda/library.h"
#include "cuda/nccl.h"
#include "cuda/nvml.h"

namespace epwise::cuda {

/// What a backend reaches the device through; tests put others in their place.
struct Doors {
  LoadedDriver driver = {};
  Nvml nvml = {};
  OpenedBlas (*open_blas)(const Library*) = nullptr;  // after the context stands
  LoadedNccl nccl = {};
  std::span<const std::byte> image = {};
  // Keep the functions above valid.
  std::unique_ptr<Library> driver_library = nullptr;
  std::unique_ptr<Library> nvml_library = nullptr;
  std::unique_ptr<Library> blas_library = nullptr;
  std::unique_ptr<Library> nccl_library = nullptr;
};

/// Those of this machine. cuBLAS, half a gigabyte, is opened later, and only where there is a GPU.
Doors machine_doors();

/// The backend of this rank's GPU, or why there is none.
calibrate::OpenedBackend open_backend(calibrate::Ranks& ranks,
                                      const calibrate::BackendSettings& settings,
                                      Doors doors);

}  // namespace epwise::cuda
