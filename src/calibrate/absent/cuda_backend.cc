#include "calibrate/backend.h"

namespace epwise::calibrate {

OpenedBackend open_cuda_backend(Ranks& /*ranks*/, const BackendSettings& /*settings*/) {
  return {nullptr, "this build of epwise has no GPU kernels: nvcc was not found when it was built"};
}

}  // namespace epwise::calibrate
