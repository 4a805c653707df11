#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "gpu/cuda/library.h"

/// The part of the CUDA driver API used by calibration, declared here so that epwise builds and
/// starts without CUDA. tests/kernels/abi_test.cc checks every declaration against cuda.h if it is
/// available.
namespace epwise::cuda {

struct ContextHandle;
struct ModuleHandle;
struct FunctionHandle;
struct StreamHandle;
struct EventHandle;
struct GraphHandle;
struct GraphRunHandle;

using Result = int;  // 0: success
using DeviceNumber = int;
using Address = std::uint64_t;  // of device memory
using Context = ContextHandle*;
using Module = ModuleHandle*;
using Function = FunctionHandle*;
using Stream = StreamHandle*;
using Event = EventHandle*;
using Graph = GraphHandle*;
using GraphRun = GraphRunHandle*;

constexpr Result kSuccess = 0;
constexpr Result kNotReady = 600;

/// Flags and constants of the API.
constexpr unsigned kStreamNonBlocking = 1;
constexpr unsigned kEventDefault = 0;
constexpr unsigned kEventWithoutTime = 2;
constexpr unsigned kHostPortable = 1;
constexpr unsigned kHostMapped = 2;
constexpr int kCaptureRelaxed = 2;
constexpr int kSharedMemoryOfFunction = 8;
constexpr unsigned kIpcLazyPeerAccess = 1;

enum DeviceAttribute : int {
  kClockRate = 13,
  kMultiprocessors = 16,
  kL2Bytes = 38,
  kCapabilityMajor = 75,
  kCapabilityMinor = 76,
  kCooperativeLaunch = 95,
  kSharedMemoryLimit = 97
};

enum LaunchAttributeId : int { kCooperative = 2, kClusterDimension = 4, kPriority = 8 };

struct LaunchAttribute {
  int id = 0;
  int padding = 0;

  union {
    char bytes[64];
    int number;
    unsigned dimension[3];
  } value = {};
};

struct LaunchConfiguration {
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  Stream stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};

struct IpcHandle {
  char bytes[64] = {};
};

/// Functions of libcuda, each under its original name.
struct Driver {
  Result (*cuInit)(unsigned) = nullptr;
  Result (*cuDriverGetVersion)(int*) = nullptr;
  Result (*cuGetErrorName)(Result, const char**) = nullptr;
  Result (*cuDeviceGetCount)(int*) = nullptr;
  Result (*cuDeviceGet)(DeviceNumber*, int) = nullptr;
  Result (*cuDeviceGetName)(char*, int, DeviceNumber) = nullptr;
  Result (*cuDeviceGetAttribute)(int*, int, DeviceNumber) = nullptr;
  Result (*cuDeviceTotalMem_v2)(std::size_t*, DeviceNumber) = nullptr;
  Result (*cuDeviceGetPCIBusId)(char*, int, DeviceNumber) = nullptr;
  Result (*cuDevicePrimaryCtxRetain)(Context*, DeviceNumber) = nullptr;
  Result (*cuDevicePrimaryCtxRelease_v2)(DeviceNumber) = nullptr;
  Result (*cuCtxSetCurrent)(Context) = nullptr;
  Result (*cuCtxSynchronize)() = nullptr;
  Result (*cuModuleLoadData)(Module*, const void*) = nullptr;
  Result (*cuModuleUnload)(Module) = nullptr;
  Result (*cuModuleGetFunction)(Function*, Module, const char*) = nullptr;
  Result (*cuFuncSetAttribute)(Function, int, int) = nullptr;
  Result (*cuLaunchKernelEx)(const LaunchConfiguration*, Function, void**, void**) = nullptr;
  Result (*cuMemGetInfo_v2)(std::size_t*, std::size_t*) = nullptr;
  Result (*cuMemAlloc_v2)(Address*, std::size_t) = nullptr;
  Result (*cuMemFree_v2)(Address) = nullptr;
  Result (*cuMemHostAlloc)(void**, std::size_t, unsigned) = nullptr;
  Result (*cuMemHostGetDevicePointer_v2)(Address*, void*, unsigned) = nullptr;
  Result (*cuMemFreeHost)(void*) = nullptr;
  Result (*cuMemcpyHtoD_v2)(Address, const void*, std::size_t) = nullptr;
  Result (*cuMemcpyDtoH_v2)(void*, Address, std::size_t) = nullptr;
  Result (*cuMemcpyDtoHAsync_v2)(void*, Address, std::size_t, Stream) = nullptr;
  Result (*cuMemcpyDtoDAsync_v2)(Address, Address, std::size_t, Stream) = nullptr;
  Result (*cuMemsetD8Async)(Address, unsigned char, std::size_t, Stream) = nullptr;
  Result (*cuStreamCreateWithPriority)(Stream*, unsigned, int) = nullptr;
  Result (*cuCtxGetStreamPriorityRange)(int*, int*) = nullptr;
  Result (*cuStreamDestroy_v2)(Stream) = nullptr;
  Result (*cuStreamSynchronize)(Stream) = nullptr;
  Result (*cuStreamQuery)(Stream) = nullptr;
  Result (*cuStreamWaitEvent)(Stream, Event, unsigned) = nullptr;
  Result (*cuStreamBeginCapture_v2)(Stream, int) = nullptr;
  Result (*cuStreamEndCapture)(Stream, Graph*) = nullptr;
  Result (*cuEventCreate)(Event*, unsigned) = nullptr;
  Result (*cuEventDestroy_v2)(Event) = nullptr;
  Result (*cuEventRecord)(Event, Stream) = nullptr;
  Result (*cuEventQuery)(Event) = nullptr;
  Result (*cuEventElapsedTime)(float*, Event, Event) = nullptr;
  Result (*cuGraphInstantiateWithFlags)(GraphRun*, Graph, unsigned long long) = nullptr;
  Result (*cuGraphLaunch)(GraphRun, Stream) = nullptr;
  Result (*cuGraphExecDestroy)(GraphRun) = nullptr;
  Result (*cuGraphDestroy)(Graph) = nullptr;
  Result (*cuIpcGetMemHandle)(IpcHandle*, Address) = nullptr;
  Result (*cuIpcOpenMemHandle_v2)(Address*, IpcHandle, unsigned) = nullptr;
  Result (*cuIpcCloseMemHandle)(Address) = nullptr;
};

/// The functions, or why there are none.
struct LoadedDriver {
  Driver driver = {};
  std::string reason = {};  // "no GPU: the driver's library libcuda.so.1 is not installed"
};

LoadedDriver load_driver(const Library& library);

/// The device failed or is lost.
class DeviceError : public std::runtime_error {
 public:
  DeviceError(const std::string& what, bool fatal) : std::runtime_error(what), fatal_(fatal) {}

  /// Whether nothing can run any more: true for errors that corrupt the context.
  bool fatal() const { return fatal_; }

 private:
  bool fatal_;
};

/// Throws DeviceError("cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY") unless `result` is success.
void check(const Driver& driver, Result result, const char* what);

}  // namespace epwise::cuda
