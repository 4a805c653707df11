#include "calibrate/backends/cpu_backend.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/os/workers.h"
#include "calibrate/backends/cpu_kernels.h"
#include "calibrate/work/law_time.h"

namespace epwise::calibrate {

namespace {

constexpr double kShortestRound = 200e-6;  // minimum duration of a round, s

double now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

int all_threads() {
  constexpr int kLeast = 4;  // so that some can be taken away
  return std::max(static_cast<int>(std::thread::hardware_concurrency()), kLeast);
}

/// Keeps a kernel running on another thread, or threads busy, during its lifetime.
class Beside {
 public:
  Beside(CpuKernel* kernel, int threads) {
    const int workers = kernel == nullptr ? threads : 1;
    for (int i = 0; i < workers; ++i) {
      workers_.emplace_back([this, kernel, threads] {
        while (!stop_.load(std::memory_order_relaxed)) {
          if (kernel != nullptr) {
            kernel->run(threads);
            runs_.fetch_add(1, std::memory_order_relaxed);
          }
        }
      });
    }
  }

  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

  ~Beside() {
    stop_ = true;
    for (std::thread& worker : workers_) {
      worker.join();
    }
  }

  long runs() const { return runs_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<long> runs_{0};
  std::vector<std::thread> workers_;
};

class CpuMeasurement : public Measurement {
 public:
  CpuMeasurement(Request request,
                 std::unique_ptr<CpuKernel> kernel,
                 std::unique_ptr<CpuKernel> beside)
      : request_(std::move(request)),
        kernel_(std::move(kernel)),
        beside_(std::move(beside)),
        threads_(request_.work.sms > 0 ? request_.work.sms : all_threads()) {
    check_ = kernel_->verify(threads_);
    const double begin = now();
    kernel_->run(threads_);
    repeats_ =
        std::max(1, static_cast<int>(std::ceil(kShortestRound / std::max(now() - begin, 1e-9))));
    repeats_ = std::min(repeats_, 1000);
  }

  const Check& check() const override { return check_; }

  double memory_bytes() const override { return memory_bytes_of(request_.work); }

  double payload_bytes() const override { return payload_bytes_of(request_.work); }

  Round round() override {
    Round round;
    if (!request_.beside) {
      round.seconds = timed(repeats_);
      return round;
    }
    constexpr int kLeastBeside = 3;  // complete runs of the other side
    constexpr double kLongest = 0.2;
    const int others = request_.beside->sms > 0 ? request_.beside->sms : all_threads();
    const Beside beside(beside_.get(), others);
    const long first = beside.runs();
    const double begin = now();
    int runs = 0;
    double passed = 0;
    do {
      kernel_->run(threads_);
      ++runs;
      passed = now() - begin;
    } while (runs < repeats_ ||
             (beside_ != nullptr && beside.runs() - first < kLeastBeside && passed < kLongest));
    round.seconds = passed / runs;
    if (beside_ != nullptr && beside.runs() > first) {
      round.beside_seconds = passed / static_cast<double>(beside.runs() - first);
    }
    return round;
  }

 private:
  double timed(int repeats) {
    const double begin = now();
    for (int i = 0; i < repeats; ++i) {
      kernel_->run(threads_);
    }
    return (now() - begin) / repeats;
  }

  Request request_;
  std::unique_ptr<CpuKernel> kernel_;
  std::unique_ptr<CpuKernel> beside_;
  int threads_;
  int repeats_ = 1;
  Check check_;
};

/// All-gather over the sockets between the ranks: not NCCL, but all of the coordination.
class GatherMeasurement : public Measurement {
 public:
  GatherMeasurement(const Request& request, Ranks& ranks)
      : ranks_(ranks),
        bytes_(request.work.shape.bytes),
        mine_(static_cast<std::size_t>(bytes_) / static_cast<std::size_t>(ranks.size()),
              static_cast<char>('a' + ranks.rank() % 26)) {
    check_.kind = "bitwise";
    check_.result = Check::Result::passed;
    const std::vector<std::string> all = ranks_.all_gather(mine_);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      if (all[rank] != std::string(mine_.size(), static_cast<char>('a' + rank % 26))) {
        check_.result = Check::Result::failed;
        check_.what = fmt::format("the data from rank {} is wrong", rank);
      }
    }
  }

  const Check& check() const override { return check_; }

  double memory_bytes() const override { return 0; }

  double payload_bytes() const override { return bytes_; }

  Round round() override {
    ranks_.barrier();
    Round round;
    const double begin = now();
    ranks_.all_gather(mine_);
    round.seconds = now() - begin;
    return round;
  }

 private:
  Ranks& ranks_;
  double bytes_;
  std::string mine_;
  Check check_;
};

class CpuBackend : public Backend {
 public:
  explicit CpuBackend(Ranks& ranks) : ranks_(ranks) {
    environment_.device.name = "CPU";
    environment_.device.sms = all_threads();
    for (int rank = 0; rank < ranks.size(); ++rank) {
      environment_.domain.push_back(rank);
    }
  }

  std::string_view name() const override { return "cpu"; }

  const Environment& environment() const override { return environment_; }

  Prepared prepare(const Request& request) override {
    Prepared prepared;
    if (request.work.kernel == Kernel::all_gather && ranks_.size() > 1) {
      constexpr double kMostBytes = 4194304;
      if (request.work.shape.bytes > kMostBytes) {
        prepared.reason = "too large for the sockets that replace NCCL";
        return prepared;
      }
      prepared.measurement = std::make_unique<GatherMeasurement>(request, ranks_);
      return prepared;
    }
    if (request.scope != Scope::device) {
      prepared.reason = "the CPU backend has no links between ranks";
      return prepared;
    }
    auto kernel = make_cpu_kernel(request, request.work, prepared.reason);
    std::unique_ptr<CpuKernel> beside;
    if (kernel != nullptr && request.beside && request.beside->kernel != Kernel::occupier) {
      beside = make_cpu_kernel(request, *request.beside, prepared.reason);
      if (beside == nullptr) {
        return prepared;
      }
    }
    if (kernel != nullptr) {
      prepared.measurement =
          std::make_unique<CpuMeasurement>(request, std::move(kernel), std::move(beside));
    }
    return prepared;
  }

  void trim() override {}

 private:
  Ranks& ranks_;
  Environment environment_;
};

}  // namespace

std::unique_ptr<CpuKernel> make_cpu_kernel(const Request& request,
                                           const Work& work,
                                           std::string& reason) {
  switch (work.kernel) {
    case Kernel::hbm_copy:
    case Kernel::hbm_read:
    case Kernel::hbm_write:
      return make_memory_kernel(work);
    case Kernel::gemm:
    case Kernel::grouped_gemm:
      return make_gemm_kernel(work, request.seed);
    case Kernel::permute:
    case Kernel::unpermute:
    case Kernel::swiglu:
    case Kernel::router:
    case Kernel::scan:
      return make_token_kernel(work, request.seed);
    case Kernel::dispatch:
    case Kernel::combine:
    case Kernel::copy_epilogue:
    case Kernel::reduce_epilogue:
      return make_exchange_kernel(work, request.seed);
    case Kernel::host_operation:
      reason = "needs PyTorch and Transformer Engine on a GPU";
      return nullptr;
    default:
      reason = "a CPU has neither streams nor NCCL";
      return nullptr;
  }
}

void in_parallel(std::size_t count,
                 int threads,
                 const std::function<void(std::size_t, std::size_t, int)>& part) {
  const auto parts = static_cast<std::size_t>(std::max(threads, 1));
  os::run_workers(parts, [&](std::size_t i) {
    const std::size_t begin = count * i / parts;
    const std::size_t end = count * (i + 1) / parts;
    if (begin < end || parts == 1) {
      part(begin, end, static_cast<int>(i));
    }
  });
}

std::unique_ptr<Backend> open_cpu_backend(Ranks& ranks, const BackendSettings& /*settings*/) {
  return std::make_unique<CpuBackend>(ranks);
}

}  // namespace epwise::calibrate
