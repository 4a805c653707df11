#include "gpu/cuda/backend.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "gpu/cuda/agreement.h"
#include "gpu/cuda/image.h"
#include "gpu/cuda/timing.h"

namespace epwise::cuda {

namespace {

using calibrate::BackendSettings;
using calibrate::Environment;
using calibrate::Kernel;
using calibrate::OpenedBackend;
using calibrate::Prepared;
using calibrate::Ranks;
using calibrate::Request;
using calibrate::Work;

/// Smallest step of the device's timer, s: the greatest common divisor of its readings.
double timer_tick(Gpu& gpu) {
  constexpr std::size_t kReadings = 96;
  const Memory readings(gpu.driver(), kReadings * sizeof(std::uint64_t));
  for (std::size_t i = 0; i < kReadings; ++i) {
    abi::MarkArguments arguments = {};
    arguments.at = readings.as<std::uint64_t>() + i;
    gpu.launch(gpu.work_stream(), "epwise_mark", {1, 32}, arguments);
  }
  constexpr double kPatience = 10;
  gpu.wait(gpu.work_stream(), kPatience);
  const auto values = gpu.download<std::uint64_t>(readings.address(), kReadings);
  std::uint64_t divisor = 0;
  for (std::size_t i = 1; i < kReadings; ++i) {
    divisor = std::gcd(divisor, values[i] - values[i - 1]);
  }
  return static_cast<double>(divisor) * 1e-9;
}

class CudaBackend : public calibrate::Backend {
 public:
  CudaBackend(Ranks& ranks, const BackendSettings& settings, Doors doors, int number)
      : doors_(std::move(doors)),
        gpu_(doors_.driver.driver, number, doors_.image),
        pool_(gpu_,
              static_cast<std::size_t>(static_cast<double>(gpu_.free_memory()) *
                                       settings.memory_share)),
        peers_(gpu_, ranks),
        monitor_(doors_.nvml, gpu_.bus()),
        blas_(doors_.open_blas(doors_.blas_library.get())),
        context_{gpu_,
                 pool_,
                 ranks,
                 peers_,
                 nullptr,
                 nullptr,
                 nullptr,
                 blas_.reason,
                 doors_.nccl.reason,
                 settings.timeout} {
    if (blas_.reason.empty()) {
      context_.blas = &blas_.blas;
    }
    join_ranks(ranks, settings.timeout);
    timer_ = std::make_unique<Timer>(context_, monitor_);
    preheat(settings.preheat);
    pool_.trim();
    read_environment();
  }

  ~CudaBackend() override {
    timer_.reset();
    domain_communicator_.reset();
    communicator_.reset();
    if (blas_.blas.handle != nullptr) {
      blas_.blas.cublasLtDestroy(blas_.blas.handle);
    }
  }

  std::string_view name() const override { return "cuda"; }

  const Environment& environment() const override { return environment_; }

  Prepared prepare(const Request& request) override {
    if (request.beside && request.scope != calibrate::Scope::device) {
      return {nullptr, "concurrent pairs are timed on one GPU, with loopback exchanges", false};
    }
    try {
      MadeJob work = make_job(request.work, request);
      if (work.job == nullptr) {
        return {nullptr, std::move(work.reason), false};
      }
      MadeJob beside = {};
      if (request.beside && request.beside->kernel == Kernel::occupier) {
        if (request.beside->sms < 1 || request.beside->sms > gpu_.sms() - 1) {
          return {nullptr, fmt::format("the occupier can hold 1 to {} SMs", gpu_.sms() - 1), false};
        }
      } else if (request.beside) {
        beside = make_job(*request.beside, request);
        if (beside.job == nullptr) {
          return {nullptr, std::move(beside.reason), false};
        }
      }
      return {std::make_unique<TimedPoint>(
                  context_, *timer_, std::move(work.job), std::move(beside.job), request),
              {},
              false};
    } catch (const DeviceError& error) {
      return {nullptr, error.what(), error.fatal()};
    }
  }

  void trim() override {
    if (context_.ranks.size() > 1) {
      context_.ranks.barrier();  // no rank maps another's buffers any more
    }
    pool_.trim();
  }

 private:
  /// An idle GPU's clocks are low: the first measurement would be slow.
  void preheat(double seconds) {
    if (!(seconds > 0)) {
      return;
    }
    Work work;
    work.kernel = context_.blas == nullptr ? Kernel::hbm_copy : Kernel::gemm;
    work.shape.bytes = 1 << 28U;
    work.shape.m = work.shape.n = work.shape.k = 4096;
    Request request;
    request.work = work;
    const MadeJob made = make_job(work, request);
    const auto start = std::chrono::steady_clock::now();
    while (made.job != nullptr &&
           std::chrono::steady_clock::now() - start < std::chrono::duration<double>(seconds)) {
      constexpr int kInARow = 16;
      for (int run = 0; run < kInARow; ++run) {
        made.job->queue(gpu_.work_stream(), run);
      }
      gpu_.wait(gpu_.work_stream(), context_.timeout);
    }
  }

  /// NCCL for all ranks or for none.
  void join_ranks(Ranks& ranks, double timeout) {
    if (ranks.size() < 2) {
      return;
    }
    try {
      in_step(ranks, [this] {
        if (!doors_.nccl.reason.empty()) {
          throw DeviceError(doors_.nccl.reason, false);
        }
      });
      std::vector<int> everyone(static_cast<std::size_t>(ranks.size()));
      std::iota(everyone.begin(), everyone.end(), 0);
      const Nccl& nccl = doors_.nccl.nccl;
      communicator_ = std::make_unique<Communicator>(nccl, ranks, everyone, timeout);
      context_.domain_communicator = communicator_.get();
      // The same on all ranks: if one's domain is smaller than all, every domain gets its own
      // communicator.
      bool whole = true;
      for (const std::string& size : ranks.all_gather(fmt::format("{}", peers_.domain().size()))) {
        whole = whole && size == fmt::format("{}", ranks.size());
      }
      if (!whole) {
        domain_communicator_ =
            std::make_unique<Communicator>(nccl, ranks, peers_.domain(), timeout);
        context_.domain_communicator = domain_communicator_.get();
      }
      context_.communicator = communicator_.get();
    } catch (const DeviceError& error) {
      context_.nccl_reason = error.what();
    }
  }

  void read_environment() {
    calibrate::Device& device = environment_.device;
    device.name = gpu_.name();
    device.compute_capability =
        fmt::format("{}.{}", gpu_.capability() / 10, gpu_.capability() % 10);
    device.sms = gpu_.sms();
    device.l2_bytes = gpu_.attribute(kL2Bytes);
    device.memory_bytes = static_cast<double>(gpu_.total_memory());
    device.free_bytes = static_cast<double>(gpu_.free_memory());
    device.clock_mhz = gpu_.attribute(kClockRate) / 1000.0;
    monitor_.describe(device);
    int version = 0;
    doors_.driver.driver.cuDriverGetVersion(&version);
    environment_.software["cuda_driver"] = fmt::format("{}.{}", version / 1000, version / 10 % 100);
    const auto note = [this](const char* what, const std::string& is) {
      if (!is.empty()) {
        environment_.software[what] = is;
      }
    };
    note("driver", monitor_.driver_version());
    note("cublaslt", context_.blas == nullptr ? "" : blas_version(blas_.blas));
    note("nccl", doors_.nccl.reason.empty() ? nccl_version(doors_.nccl.nccl) : "");
    note("kernels", EPWISE_KERNEL_TARGETS);
    environment_.domain = peers_.domain();
    environment_.timer_tick = timer_tick(gpu_);
  }

  MadeJob make_job(const Work& work, const Request& request) {
    switch (work.kernel) {
      case Kernel::hbm_copy:
      case Kernel::hbm_read:
      case Kernel::hbm_write:
        return make_memory_job(context_, work, request.seed);
      case Kernel::permute:
      case Kernel::unpermute:
      case Kernel::swiglu:
        return make_row_job(context_, work, request.seed);
      case Kernel::router:
      case Kernel::scan:
        return make_routing_job(context_, work, request.seed);
      case Kernel::dispatch:
      case Kernel::combine:
      case Kernel::copy_epilogue:
      case Kernel::reduce_epilogue:
        return make_exchange_job(context_, work, request.scope, request.seed);
      case Kernel::gemm:
      case Kernel::grouped_gemm:
        return make_gemm_job(context_, work, request.seed);
      case Kernel::occupier:
        return {nullptr, "an occupier has no time of its own"};
      case Kernel::launch:
      case Kernel::graph_launch:
      case Kernel::stream_hop:
      case Kernel::host_sync:
      case Kernel::host_operation:
        return make_launch_job(context_, work);
      default:
        return make_collective_job(context_, work, request.scope, request.seed);
    }
  }

  Doors doors_;
  Gpu gpu_;
  Pool pool_;
  Peers peers_;
  Monitor monitor_;
  OpenedBlas blas_;
  JobContext context_;
  std::unique_ptr<Communicator> communicator_;
  std::unique_ptr<Communicator> domain_communicator_;
  std::unique_ptr<Timer> timer_;
  Environment environment_;
};

OpenedBlas open_blas_of(const Library* library) {
  return open_blas(*library);
}

}  // namespace

Doors machine_doors() {
  // Settings of training jobs that would make streams wait for each other here: blocking launches
  // hang after a gate, and with one connection no two streams run concurrently.
  ::unsetenv("CUDA_LAUNCH_BLOCKING");
  ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 1);
  Doors doors;
  doors.image = kernel_image();
  doors.driver_library =
      std::make_unique<Library>("EPWISE_CUDA_LIB", std::vector<std::string>{"libcuda.so.1"});
  doors.driver = load_driver(*doors.driver_library);
  if (!doors.driver.reason.empty()) {
    return doors;
  }
  doors.nvml_library =
      std::make_unique<Library>("EPWISE_NVML_LIB", std::vector<std::string>{"libnvidia-ml.so.1"});
  doors.nvml = load_nvml(*doors.nvml_library);
  doors.blas_library = std::make_unique<Library>(
      "EPWISE_CUBLASLT_LIB", std::vector<std::string>{"libcublasLt.so.13", "libcublasLt.so.12"});
  doors.open_blas = &open_blas_of;
  doors.nccl_library =
      std::make_unique<Library>("EPWISE_NCCL_LIB", std::vector<std::string>{"libnccl.so.2"});
  doors.nccl = load_nccl(*doors.nccl_library);
  return doors;
}

OpenedBackend open_backend(Ranks& ranks, const BackendSettings& settings, Doors doors) {
  if (doors.image.empty()) {
    return {nullptr,
            "this build of epwise has no GPU kernels: nvcc was not found when it was built"};
  }
  if (!doors.driver.reason.empty()) {
    return {nullptr, doors.driver.reason};
  }
  const Driver& driver = doors.driver.driver;
  int count = 0;
  try {
    check(driver, driver.cuInit(0), "cuInit");
    check(driver, driver.cuDeviceGetCount(&count), "cuDeviceGetCount");
    // Launchers that give each rank its own GPU number it 0 on all of them.
    const int number = count == 1 ? 0 : ranks.local_rank();
    if (number >= count) {
      return {nullptr,
              fmt::format("no GPU for local rank {}: {} visible", ranks.local_rank(), count)};
    }
    return {std::make_unique<CudaBackend>(ranks, settings, std::move(doors), number), {}};
  } catch (const DeviceError& error) {
    return {nullptr, fmt::format("cannot use the GPU: {}", error.what())};
  }
}

}  // namespace epwise::cuda

namespace epwise::calibrate {

OpenedBackend open_cuda_backend(Ranks& ranks, const BackendSettings& settings) {
  return cuda::open_backend(ranks, settings, cuda::machine_doors());
}

}  // namespace epwise::calibrate
