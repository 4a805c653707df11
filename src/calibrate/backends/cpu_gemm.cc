#include <algorithm>
#include <cmath>
#include <vector>

#include "calibrate/backends/cpu_kernel.h"
#include "calibrate/work/routing.h"

namespace epwise::calibrate {

namespace {

/// `groups` products C[m,n] = A[m,k] B[k,n], row by row; a weight gradient adds to what C holds.
class GemmKernel : public CpuKernel {
 public:
  GemmKernel(const Work& work, std::uint64_t seed)
      : groups_(static_cast<std::size_t>(std::max<std::int64_t>(work.shape.groups, 1))),
        adds_(work.stage == Stage::weight_gradient) {
    m_ = static_cast<std::size_t>(work.shape.m);
    n_ = static_cast<std::size_t>(work.shape.n);
    k_ = static_cast<std::size_t>(work.shape.k);
    if (adds_) {  // gradients of [k, n] weights: the tokens are summed over
      std::swap(m_, k_);
    }
    a_ = fractions(groups_ * m_ * k_, seed);
    b_ = fractions(groups_ * k_ * n_, seed + 1);
    c_.assign(groups_ * m_ * n_, 0);
  }

  void run(int threads) override {
    in_parallel(groups_ * m_, threads, [this](std::size_t begin, std::size_t end, int) {
      for (std::size_t row = begin; row < end; ++row) {
        multiply(row);
      }
    });
  }

  Check verify(int threads) override {
    const float start = adds_ ? 1.0F : std::nanf("");
    std::fill(c_.begin(), c_.end(), start);
    run(threads);
    double off = 0;
    double size = 0;
    const std::size_t step = std::max<std::size_t>(groups_ * m_ * n_ / 4096, 1) | 1U;
    for (std::size_t place = 0; place < c_.size(); place += step) {
      const double expected = reference(place / n_, place % n_) + (adds_ ? 1.0 : 0.0);
      const double difference = static_cast<double>(c_[place]) - expected;
      off += difference * difference;
      size += expected * expected;
    }
    std::fill(c_.begin(), c_.end(), 0.0F);
    Check check;
    check.kind = "relative norm of sampled products against double precision";
    check.error = std::sqrt(off / std::max(size, 1e-30));
    check.tolerance = 1e-5;
    check.result = check.error <= check.tolerance ? Check::Result::passed : Check::Result::failed;
    return check;
  }

 private:
  void multiply(std::size_t row) {
    const std::size_t group = row / m_;
    float* const out = &c_[row * n_];
    if (!adds_) {
      std::fill(out, out + n_, 0.0F);
    }
    for (std::size_t inner = 0; inner < k_; ++inner) {
      const float factor = a_[row * k_ + inner];
      const float* const in = &b_[(group * k_ + inner) * n_];
      for (std::size_t column = 0; column < n_; ++column) {
        out[column] += factor * in[column];
      }
    }
  }

  double reference(std::size_t row, std::size_t column) const {
    const std::size_t group = row / m_;
    double sum = 0;
    for (std::size_t inner = 0; inner < k_; ++inner) {
      sum += static_cast<double>(a_[row * k_ + inner]) *
             static_cast<double>(b_[(group * k_ + inner) * n_ + column]);
    }
    return sum;
  }

  std::size_t groups_;
  std::size_t m_ = 0;
  std::size_t n_ = 0;
  std::size_t k_ = 0;
  bool adds_;
  std::vector<float> a_;
  std::vector<float> b_;
  std::vector<float> c_;
};

}  // namespace

std::unique_ptr<CpuKernel> make_gemm_kernel(const Work& work, std::uint64_t seed) {
  return std::make_unique<GemmKernel>(work, seed);
}

}  // namespace epwise::calibrate
