// What src/gpu/cuda declares of the interfaces of CUDA, cuBLASLt and NCCL, against their headers:
// types of functions by conversion, numbers, sizes and places of members.

#include <cstddef>
#include <cublasLt.h>
#include <cuda.h>
#include <nccl.h>
#include <type_traits>

#include <doctest/doctest.h>

#include "gpu/cuda/backend.h"

namespace epwise::cuda {

namespace {

/// Parameters that pass the same way: pointers for pointers, numbers of one size and kind.
template <class Ours, class Theirs>
constexpr bool is_passed_alike() {
  if constexpr (std::is_pointer_v<Theirs>) {
    return std::is_pointer_v<Ours>;
  } else if constexpr (std::is_class_v<Theirs>) {
    return std::is_class_v<Ours> && sizeof(Ours) == sizeof(Theirs) &&
           alignof(Ours) == alignof(Theirs);
  } else {
    return !std::is_pointer_v<Ours> && !std::is_class_v<Ours> && sizeof(Ours) == sizeof(Theirs);
  }
}

template <class Ours, class Theirs>
struct Alike : std::false_type {};

template <class OurResult, class... Ours, class TheirResult, class... Theirs>
struct Alike<OurResult (*)(Ours...), TheirResult (*)(Theirs...)>
    : std::bool_constant<sizeof...(Ours) == sizeof...(Theirs) &&
                         sizeof(OurResult) == sizeof(TheirResult)> {
  static constexpr bool kParameters = [] {
    if constexpr (sizeof...(Ours) == sizeof...(Theirs)) {
      return (is_passed_alike<Ours, Theirs>() && ...);
    } else {
      return false;
    }
  }();
};

template <class Ours, class Theirs>
constexpr bool kAlike = Alike<Ours, Theirs>::value&& Alike<Ours, Theirs>::kParameters;

// The headers' macros give the newest version of a function; ours name theirs.
#define EPWISE_SAME(table, name) static_assert(kAlike<decltype(table::name), decltype(&::name)>)

EPWISE_SAME(Driver, cuInit);
EPWISE_SAME(Driver, cuDriverGetVersion);
EPWISE_SAME(Driver, cuGetErrorName);
EPWISE_SAME(Driver, cuDeviceGetCount);
EPWISE_SAME(Driver, cuDeviceGet);
EPWISE_SAME(Driver, cuDeviceGetName);
EPWISE_SAME(Driver, cuDeviceGetAttribute);
EPWISE_SAME(Driver, cuDeviceTotalMem_v2);
EPWISE_SAME(Driver, cuDeviceGetPCIBusId);
EPWISE_SAME(Driver, cuDevicePrimaryCtxRetain);
EPWISE_SAME(Driver, cuDevicePrimaryCtxRelease_v2);
EPWISE_SAME(Driver, cuCtxSetCurrent);
EPWISE_SAME(Driver, cuCtxSynchronize);
EPWISE_SAME(Driver, cuModuleLoadData);
EPWISE_SAME(Driver, cuModuleUnload);
EPWISE_SAME(Driver, cuModuleGetFunction);
EPWISE_SAME(Driver, cuFuncSetAttribute);
EPWISE_SAME(Driver, cuLaunchKernelEx);
EPWISE_SAME(Driver, cuMemGetInfo_v2);
EPWISE_SAME(Driver, cuMemAlloc_v2);
EPWISE_SAME(Driver, cuMemFree_v2);
EPWISE_SAME(Driver, cuMemHostAlloc);
EPWISE_SAME(Driver, cuMemHostGetDevicePointer_v2);
EPWISE_SAME(Driver, cuMemFreeHost);
EPWISE_SAME(Driver, cuMemcpyHtoD_v2);
EPWISE_SAME(Driver, cuMemcpyDtoH_v2);
EPWISE_SAME(Driver, cuMemcpyDtoHAsync_v2);
EPWISE_SAME(Driver, cuMemcpyDtoDAsync_v2);
EPWISE_SAME(Driver, cuMemsetD8Async);
EPWISE_SAME(Driver, cuStreamCreateWithPriority);
EPWISE_SAME(Driver, cuCtxGetStreamPriorityRange);
EPWISE_SAME(Driver, cuStreamDestroy_v2);
EPWISE_SAME(Driver, cuStreamSynchronize);
EPWISE_SAME(Driver, cuStreamQuery);
EPWISE_SAME(Driver, cuStreamWaitEvent);
EPWISE_SAME(Driver, cuStreamBeginCapture_v2);
EPWISE_SAME(Driver, cuStreamEndCapture);
EPWISE_SAME(Driver, cuEventCreate);
EPWISE_SAME(Driver, cuEventDestroy_v2);
EPWISE_SAME(Driver, cuEventRecord);
EPWISE_SAME(Driver, cuEventQuery);
EPWISE_SAME(Driver, cuGraphInstantiateWithFlags);
EPWISE_SAME(Driver, cuGraphLaunch);
EPWISE_SAME(Driver, cuGraphExecDestroy);
EPWISE_SAME(Driver, cuGraphDestroy);
EPWISE_SAME(Driver, cuIpcGetMemHandle);
EPWISE_SAME(Driver, cuIpcOpenMemHandle_v2);
EPWISE_SAME(Driver, cuIpcCloseMemHandle);

EPWISE_SAME(Blas, cublasLtCreate);
EPWISE_SAME(Blas, cublasLtDestroy);
EPWISE_SAME(Blas, cublasLtGetVersion);
EPWISE_SAME(Blas, cublasLtMatmulDescCreate);
EPWISE_SAME(Blas, cublasLtMatmulDescDestroy);
EPWISE_SAME(Blas, cublasLtMatmulDescSetAttribute);
EPWISE_SAME(Blas, cublasLtMatrixLayoutCreate);
EPWISE_SAME(Blas, cublasLtMatrixLayoutDestroy);
EPWISE_SAME(Blas, cublasLtMatmulPreferenceCreate);
EPWISE_SAME(Blas, cublasLtMatmulPreferenceDestroy);
EPWISE_SAME(Blas, cublasLtMatmulPreferenceSetAttribute);
EPWISE_SAME(Blas, cublasLtMatmulAlgoGetHeuristic);
EPWISE_SAME(Blas, cublasLtMatmul);

EPWISE_SAME(Nccl, ncclGetVersion);
EPWISE_SAME(Nccl, ncclGetErrorString);
EPWISE_SAME(Nccl, ncclGetUniqueId);
EPWISE_SAME(Nccl, ncclCommInitRankConfig);
EPWISE_SAME(Nccl, ncclCommAbort);
EPWISE_SAME(Nccl, ncclCommGetAsyncError);
EPWISE_SAME(Nccl, ncclGroupStart);
EPWISE_SAME(Nccl, ncclGroupEnd);
EPWISE_SAME(Nccl, ncclSend);
EPWISE_SAME(Nccl, ncclRecv);
EPWISE_SAME(Nccl, ncclAllGather);
EPWISE_SAME(Nccl, ncclReduceScatter);
#undef EPWISE_SAME

static_assert(sizeof(Address) == sizeof(CUdeviceptr));
static_assert(sizeof(LaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(offsetof(LaunchAttribute, value) == offsetof(CUlaunchAttribute, value));
static_assert(sizeof(LaunchConfiguration) == sizeof(CUlaunchConfig));
static_assert(offsetof(LaunchConfiguration, block) == offsetof(CUlaunchConfig, blockDimX));
static_assert(offsetof(LaunchConfiguration, shared_bytes) ==
              offsetof(CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(LaunchConfiguration, stream) == offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(LaunchConfiguration, attributes) == offsetof(CUlaunchConfig, attrs));
static_assert(offsetof(LaunchConfiguration, attribute_count) == offsetof(CUlaunchConfig, numAttrs));
static_assert(sizeof(IpcHandle) == sizeof(CUipcMemHandle));
static_assert(sizeof(NcclId) == sizeof(ncclUniqueId));
static_assert(sizeof(BlasAlgorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(BlasHeuristic) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(BlasHeuristic, workspace_bytes) ==
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(BlasHeuristic, state) == offsetof(cublasLtMatmulHeuristicResult_t, state));
static_assert(offsetof(NcclConfiguration, magic) == offsetof(ncclConfig_t, magic));
static_assert(offsetof(NcclConfiguration, blocking) == offsetof(ncclConfig_t, blocking));
static_assert(offsetof(NcclConfiguration, most_blocks) == offsetof(ncclConfig_t, maxCTAs));
static_assert(offsetof(NcclConfiguration, network) == offsetof(ncclConfig_t, netName));
static_assert(offsetof(NcclConfiguration, split_share) == offsetof(ncclConfig_t, splitShare));

}  // namespace

TEST_CASE("numbers of the interfaces are the headers'") {
  struct Pair {
    long long ours;
    long long theirs;
  };

  const std::vector<Pair> pairs = {
      {kSuccess, CUDA_SUCCESS},
      {kNotReady, CUDA_ERROR_NOT_READY},
      {kStreamNonBlocking, CU_STREAM_NON_BLOCKING},
      {kEventDefault, CU_EVENT_DEFAULT},
      {kEventWithoutTime, CU_EVENT_DISABLE_TIMING},
      {kHostPortable, CU_MEMHOSTALLOC_PORTABLE},
      {kHostMapped, CU_MEMHOSTALLOC_DEVICEMAP},
      {kCaptureRelaxed, CU_STREAM_CAPTURE_MODE_RELAXED},
      {kSharedMemoryOfFunction, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES},
      {kIpcLazyPeerAccess, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS},
      {kClockRate, CU_DEVICE_ATTRIBUTE_CLOCK_RATE},
      {kMultiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
      {kL2Bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
      {kCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
      {kCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
      {kCooperativeLaunch, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH},
      {kSharedMemoryLimit, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
      {kCooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE},
      {kClusterDimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION},
      {kPriority, CU_LAUNCH_ATTRIBUTE_PRIORITY},
      {kFloat32, CUDA_R_32F},
      {kBfloat16, CUDA_R_16BF},
      {kE4m3, CUDA_R_8F_E4M3},
      {kComputeFloat32, CUBLAS_COMPUTE_32F},
      {kNotTransposed, CUBLAS_OP_N},
      {kTransposed, CUBLAS_OP_T},
      {kTransposeA, CUBLASLT_MATMUL_DESC_TRANSA},
      {kTransposeB, CUBLASLT_MATMUL_DESC_TRANSB},
      {kSmTarget, CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET},
      {kScaleA, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER},
      {kFastSums, CUBLASLT_MATMUL_DESC_FAST_ACCUM},
      {kScaleB, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER},
      {kMostWorkspace, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES},
      {kNcclByte, ncclUint8},
      {kNcclBfloat16, ncclBfloat16},
      {kNcclSum, ncclSum},
      {kNcclInProgress, ncclInProgress},
      {NcclConfiguration::kUndefined, NCCL_CONFIG_UNDEF_INT},
  };
  for (const Pair& pair : pairs) {
    CAPTURE(&pair - pairs.data());
    CHECK(pair.ours == pair.theirs);
  }
}

TEST_CASE("the driver's library has every function under its name") {
  const std::string stub = EPWISE_CUDA_STUB;
  if (stub.empty()) {
    MESSAGE("no stub of libcuda beside the headers: skipped");
    return;
  }
  const LoadedDriver loaded = load_driver(Library("EPWISE_TEST_LIB", {stub}));
  CHECK(loaded.reason == "");
}

TEST_CASE("cuBLAS and NCCL, where they are installed, have every function that is asked for") {
  const Library nccl("EPWISE_NCCL_LIB", {"libnccl.so.2"});
  if (nccl.is_open()) {
    const LoadedNccl loaded = load_nccl(nccl);
    CHECK(loaded.reason == "");
    CHECK(nccl_version(loaded.nccl).starts_with("2."));
    NcclId id;
    CHECK(loaded.nccl.ncclGetUniqueId(&id) == 0);
  } else {
    MESSAGE("NCCL: " << nccl.reason() << ": skipped");
  }
  const Library blas("EPWISE_CUBLASLT_LIB", {"libcublasLt.so.13", "libcublasLt.so.12"});
  if (blas.is_open()) {
    // Without a GPU it can't start, but everything was found before that.
    const OpenedBlas opened = open_blas(blas);
    const bool is_found = opened.blas.cublasLtMatmul != nullptr;
    CHECK(is_found);
    CHECK(opened.reason.find("too old") == std::string::npos);
  } else {
    MESSAGE("cuBLAS: " << blas.reason() << ": skipped");
  }
}

}  // namespace epwise::cuda
