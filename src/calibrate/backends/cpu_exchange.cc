#include <algorithm>
#include <cstring>
#include <vector>

#include "calibrate/backends/cpu_kernel.h"
#include "calibrate/work/routing.h"

namespace epwise::calibrate {

namespace {

/// Dispatch and combine in loopback: the ranks are regions of one allocation, a token's row stands
/// once in the region of each rank that it reaches. Slots are reserved beforehand, as the metadata
/// step of the libraries does.
class ExchangeKernel : public CpuKernel {
 public:
  ExchangeKernel(const Work& work, std::uint64_t seed)
      : work_(work),
        routing_(make_routing(work.shape, seed)),
        tokens_(static_cast<std::size_t>(work.shape.tokens)),
        hidden_(static_cast<std::size_t>(work.shape.hidden)),
        ranks_(static_cast<std::size_t>(routing_.ranks)) {
    rows_ = whole_numbers(tokens_ * hidden_, seed + 2);
    slots_.assign(tokens_ * ranks_, kNone);
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      for (std::size_t token = 0; token < tokens_; ++token) {
        if (routing_.reached[token * ranks_ + rank] != 0) {
          slots_[token * ranks_ + rank] = copies_++;
        }
      }
    }
    regions_.assign(copies_ * hidden_, 0);
    staging_.assign(work.structure == Structure::direct ? 0 : copies_ * hidden_, 0);
    sums_.assign(tokens_ * hidden_, 0);
    if (is_combine()) {
      fill_regions();
    }
  }

  void run(int threads) override {
    // Chunks of tokens are what the pipelined structure hands out; the others go token by token.
    constexpr std::size_t kChunk = 64;
    const std::size_t unit = work_.structure == Structure::pipelined ? kChunk : 1;
    const std::size_t units = (tokens_ + unit - 1) / unit;
    in_parallel(units, threads, [&](std::size_t begin, std::size_t end, int) {
      const std::size_t last = std::min(end * unit, tokens_);
      for (std::size_t token = begin * unit; token < last; ++token) {
        if (is_combine()) {
          gather(token);
        } else {
          scatter(token);
        }
      }
    });
  }

  Check verify(int threads) override {
    Check check;
    check.kind = is_combine() ? "exact sums of whole numbers" : "bitwise, row by row";
    std::vector<float>& out = is_combine() ? sums_ : regions_;
    std::fill(out.begin(), out.end(), -99.0F);
    run(threads);
    const std::size_t wrong = is_combine() ? wrong_sum() : wrong_row();
    check.result = wrong == kNone ? Check::Result::passed : Check::Result::failed;
    if (wrong != kNone) {
      check.what = "token " + std::to_string(wrong) + " arrived wrong";
    }
    return check;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  bool is_combine() const {
    return work_.kernel == Kernel::combine || work_.kernel == Kernel::reduce_epilogue;
  }

  void fill_regions() {
    for (std::size_t token = 0; token < tokens_; ++token) {
      scatter(token);
    }
  }

  void scatter(std::size_t token) {
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      const std::size_t slot = slots_[token * ranks_ + rank];
      if (slot == kNone) {
        continue;
      }
      const float* from = &rows_[token * hidden_];
      if (!staging_.empty()) {
        std::memcpy(&staging_[slot * hidden_], from, hidden_ * sizeof(float));
        from = &staging_[slot * hidden_];
      }
      std::memcpy(&regions_[slot * hidden_], from, hidden_ * sizeof(float));
    }
  }

  void gather(std::size_t token) {
    float* const out = &sums_[token * hidden_];
    std::fill(out, out + hidden_, 0.0F);
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      const std::size_t slot = slots_[token * ranks_ + rank];
      if (slot == kNone) {
        continue;
      }
      const float* const in = &regions_[slot * hidden_];
      for (std::size_t i = 0; i < hidden_; ++i) {
        out[i] += in[i];
      }
    }
  }

  std::size_t wrong_row() const {
    for (std::size_t place = 0; place < slots_.size(); ++place) {
      const std::size_t slot = slots_[place];
      const std::size_t token = place / ranks_;
      if (slot != kNone &&
          std::memcmp(
              &regions_[slot * hidden_], &rows_[token * hidden_], hidden_ * sizeof(float)) != 0) {
        return token;
      }
    }
    return kNone;
  }

  /// A token that reached u ranks comes back u times.
  std::size_t wrong_sum() const {
    for (std::size_t token = 0; token < tokens_; ++token) {
      float reached = 0;
      for (std::size_t rank = 0; rank < ranks_; ++rank) {
        reached += routing_.reached[token * ranks_ + rank] != 0 ? 1.0F : 0.0F;
      }
      for (std::size_t i = 0; i < hidden_; ++i) {
        if (sums_[token * hidden_ + i] != reached * rows_[token * hidden_ + i]) {
          return token;
        }
      }
    }
    return kNone;
  }

  Work work_;
  Routing routing_;
  std::size_t tokens_;
  std::size_t hidden_;
  std::size_t ranks_;
  std::size_t copies_ = 0;
  std::vector<float> rows_;
  std::vector<std::size_t> slots_;  // tokens × ranks
  std::vector<float> regions_;
  std::vector<float> staging_;
  std::vector<float> sums_;
};

}  // namespace

std::unique_ptr<CpuKernel> make_exchange_kernel(const Work& work, std::uint64_t seed) {
  return std::make_unique<ExchangeKernel>(work, seed);
}

}  // namespace epwise::calibrate
