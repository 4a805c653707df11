#include <algorithm>
#include <cstring>
#include <vector>

#include "calibrate/backends/cpu_kernel.h"
#include "calibrate/work/routing.h"

namespace epwise::calibrate {

namespace {

class CopyKernel : public CpuKernel {
 public:
  /// `bytes` counts what is read and what is written.
  CopyKernel(Kernel kernel, double bytes)
      : kernel_(kernel),
        count_(std::max<std::size_t>(
            static_cast<std::size_t>(bytes) / sizeof(float) / (kernel == Kernel::hbm_copy ? 2 : 1),
            64)),
        from_(whole_numbers(count_, 7)),
        to_(count_, -1) {}

  void run(int threads) override {
    sums_.assign(static_cast<std::size_t>(threads), 0);
    in_parallel(count_, threads, [this](std::size_t begin, std::size_t end, int thread) {
      switch (kernel_) {
        case Kernel::hbm_read:
          sums_[static_cast<std::size_t>(thread)] = sum(begin, end);
          break;
        case Kernel::hbm_write:
          std::fill(to_.begin() + static_cast<std::ptrdiff_t>(begin),
                    to_.begin() + static_cast<std::ptrdiff_t>(end),
                    3.0F);
          break;
        default:
          std::memcpy(&to_[begin], &from_[begin], (end - begin) * sizeof(float));
      }
    });
  }

  Check verify(int threads) override {
    std::fill(to_.begin(), to_.end(), -99.0F);
    run(threads);
    Check check;
    check.kind = "bitwise";
    check.result = is_right() ? Check::Result::passed : Check::Result::failed;
    return check;
  }

 private:
  /// Several sums side by side: one would wait for itself.
  double sum(std::size_t begin, std::size_t end) const {
    constexpr std::size_t kLanes = 8;
    float lanes[kLanes] = {};
    std::size_t i = begin;
    for (; i + kLanes <= end; i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        lanes[lane] += from_[i + lane];
      }
    }
    double total = 0;
    for (; i < end; ++i) {
      total += static_cast<double>(from_[i]);
    }
    for (const float lane : lanes) {
      total += static_cast<double>(lane);
    }
    return total;
  }

  bool is_right() const {
    if (kernel_ == Kernel::hbm_read) {
      double expected = 0;
      for (const float number : from_) {
        expected += static_cast<double>(number);
      }
      double found = 0;
      for (const double part : sums_) {
        found += part;
      }
      return found == expected;
    }
    if (kernel_ == Kernel::hbm_write) {
      return std::all_of(to_.begin(), to_.end(), [](float number) { return number == 3.0F; });
    }
    return to_ == from_;
  }

  Kernel kernel_;
  std::size_t count_;
  std::vector<float> from_;
  std::vector<float> to_;
  std::vector<double> sums_;
};

}  // namespace

std::unique_ptr<CpuKernel> make_memory_kernel(const Work& work) {
  return std::make_unique<CopyKernel>(work.kernel, work.shape.bytes);
}

}  // namespace epwise::calibrate
