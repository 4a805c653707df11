#include "gpu/cuda/driver.h"

#include <array>

namespace epwise::cuda {

// NOLINTNEXTLINE(readability-function-size): a table, a line a function of the driver
LoadedDriver load_driver(const Library& library) {
  LoadedDriver loaded;
  if (!library.is_open()) {
    loaded.reason = "no GPU: the driver's library " + library.reason();
    return loaded;
  }
  Driver& driver = loaded.driver;
  const auto find = [&library, &loaded](const char* name, auto*& function) {
    if (!library.find(name, function) && loaded.reason.empty()) {
      loaded.reason = std::string("the GPU driver is too old: it has no ") + name;
    }
  };
#define EPWISE_CUDA_FIND(name) find(#name, driver.name)
  EPWISE_CUDA_FIND(cuInit);
  EPWISE_CUDA_FIND(cuDriverGetVersion);
  EPWISE_CUDA_FIND(cuGetErrorName);
  EPWISE_CUDA_FIND(cuDeviceGetCount);
  EPWISE_CUDA_FIND(cuDeviceGet);
  EPWISE_CUDA_FIND(cuDeviceGetName);
  EPWISE_CUDA_FIND(cuDeviceGetAttribute);
  EPWISE_CUDA_FIND(cuDeviceTotalMem_v2);
  EPWISE_CUDA_FIND(cuDeviceGetPCIBusId);
  EPWISE_CUDA_FIND(cuDevicePrimaryCtxRetain);
  EPWISE_CUDA_FIND(cuDevicePrimaryCtxRelease_v2);
  EPWISE_CUDA_FIND(cuCtxSetCurrent);
  EPWISE_CUDA_FIND(cuCtxSynchronize);
  EPWISE_CUDA_FIND(cuModuleLoadData);
  EPWISE_CUDA_FIND(cuModuleUnload);
  EPWISE_CUDA_FIND(cuModuleGetFunction);
  EPWISE_CUDA_FIND(cuFuncSetAttribute);
  EPWISE_CUDA_FIND(cuLaunchKernelEx);
  EPWISE_CUDA_FIND(cuMemGetInfo_v2);
  EPWISE_CUDA_FIND(cuMemAlloc_v2);
  EPWISE_CUDA_FIND(cuMemFree_v2);
  EPWISE_CUDA_FIND(cuMemHostAlloc);
  EPWISE_CUDA_FIND(cuMemHostGetDevicePointer_v2);
  EPWISE_CUDA_FIND(cuMemFreeHost);
  EPWISE_CUDA_FIND(cuMemcpyHtoD_v2);
  EPWISE_CUDA_FIND(cuMemcpyDtoH_v2);
  EPWISE_CUDA_FIND(cuMemcpyDtoHAsync_v2);
  EPWISE_CUDA_FIND(cuMemcpyDtoDAsync_v2);
  EPWISE_CUDA_FIND(cuMemsetD8Async);
  EPWISE_CUDA_FIND(cuStreamCreateWithPriority);
  EPWISE_CUDA_FIND(cuCtxGetStreamPriorityRange);
  EPWISE_CUDA_FIND(cuStreamDestroy_v2);
  EPWISE_CUDA_FIND(cuStreamSynchronize);
  EPWISE_CUDA_FIND(cuStreamQuery);
  EPWISE_CUDA_FIND(cuStreamWaitEvent);
  EPWISE_CUDA_FIND(cuStreamBeginCapture_v2);
  EPWISE_CUDA_FIND(cuStreamEndCapture);
  EPWISE_CUDA_FIND(cuEventCreate);
  EPWISE_CUDA_FIND(cuEventDestroy_v2);
  EPWISE_CUDA_FIND(cuEventRecord);
  EPWISE_CUDA_FIND(cuEventQuery);
  EPWISE_CUDA_FIND(cuEventElapsedTime);
  EPWISE_CUDA_FIND(cuGraphInstantiateWithFlags);
  EPWISE_CUDA_FIND(cuGraphLaunch);
  EPWISE_CUDA_FIND(cuGraphExecDestroy);
  EPWISE_CUDA_FIND(cuGraphDestroy);
  EPWISE_CUDA_FIND(cuIpcGetMemHandle);
  EPWISE_CUDA_FIND(cuIpcOpenMemHandle_v2);
  EPWISE_CUDA_FIND(cuIpcCloseMemHandle);
#undef EPWISE_CUDA_FIND
  return loaded;
}

namespace {

/// Errors after which the context still works: the request was rejected, nothing was corrupted.
bool leaves_context_whole(Result result) {
  // Among them: memory of another process that cannot be mapped (205, 208, 217), and a system that
  // exports none, such as containers (304).
  constexpr std::array kHarmless = {
      1, 2, 3, 101, 200, 205, 208, 209, 217, 304, 400, 500, 600, 701, 720, 801};
  for (const Result harmless : kHarmless) {
    if (result == harmless) {
      return true;
    }
  }
  return false;
}

}  // namespace

void check(const Driver& driver, Result result, const char* what) {
  if (result == kSuccess) {
    return;
  }
  const char* name = nullptr;
  driver.cuGetErrorName(result, &name);
  throw DeviceError(
      std::string(what) + ": " + (name != nullptr ? name : "error " + std::to_string(result)),
      !leaves_context_whole(result));
}

}  // namespace epwise::cuda
