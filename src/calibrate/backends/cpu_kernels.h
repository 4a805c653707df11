#pragma once

#include <functional>
#include <memory>
#include <string>

#include "calibrate/work/backend.h"

namespace epwise::calibrate {

/// One kernel with its inputs on the CPU. `run` may be called from one thread at a time.
class CpuKernel {
 public:
  CpuKernel() = default;
  CpuKernel(const CpuKernel&) = delete;
  CpuKernel& operator=(const CpuKernel&) = delete;
  virtual ~CpuKernel() = default;

  /// All of it, on `threads` threads.
  virtual void run(int threads) = 0;

  /// Poisons the output, runs, and compares it with a plain double-precision reference.
  virtual Check verify(int threads) = 0;
};

/// Null pointer and a reason for kernels that a CPU cannot run.
std::unique_ptr<CpuKernel> make_cpu_kernel(const Request& request,
                                           const Work& work,
                                           std::string& reason);

/// The kernel families, each in its own file.
std::unique_ptr<CpuKernel> make_memory_kernel(const Work& work);
std::unique_ptr<CpuKernel> make_gemm_kernel(const Work& work, std::uint64_t seed);
std::unique_ptr<CpuKernel> make_token_kernel(const Work& work, std::uint64_t seed);
std::unique_ptr<CpuKernel> make_exchange_kernel(const Work& work, std::uint64_t seed);

/// Splits [0, count) over threads and waits for part(begin, end, thread).
void in_parallel(std::size_t count,
                 int threads,
                 const std::function<void(std::size_t, std::size_t, int)>& part);

}  // namespace epwise::calibrate
