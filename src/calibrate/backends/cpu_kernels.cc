#include "calibrate/backends/cpu_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "calibrate/work/routing.h"

namespace epwise::calibrate {

namespace {

class CopyKernel : public CpuKernel {
 public:
  /// `bytes` counts reads and writes.
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
  /// Several independent sums: a single one would be latency-bound.
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

namespace {

/// `groups` GEMMs C[m,n] = A[m,k] B[k,n], row by row; a weight gradient accumulates into C.
class GemmKernel : public CpuKernel {
 public:
  GemmKernel(const Work& work, std::uint64_t seed)
      : groups_(static_cast<std::size_t>(std::max<std::int64_t>(work.shape.groups, 1))),
        adds_(work.stage == Stage::weight_gradient) {
    m_ = static_cast<std::size_t>(work.shape.m);
    n_ = static_cast<std::size_t>(work.shape.n);
    k_ = static_cast<std::size_t>(work.shape.k);
    if (adds_) {  // gradients of [k, n] weights: summed over the tokens
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
    check.kind = "relative norm of sampled products compared with double precision";
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

namespace {

using Floats = std::vector<float>;

Check judged(std::string kind, double error, double tolerance) {
  Check check;
  check.kind = std::move(kind);
  check.error = error;
  check.tolerance = tolerance;
  check.result = error <= tolerance ? Check::Result::passed : Check::Result::failed;
  return check;
}

/// Shared by the kernels around the experts: routing, rows, and positions sorted by expert.
class TokenKernel : public CpuKernel {
 public:
  TokenKernel(const Work& work, std::uint64_t seed)
      : shape_(work.shape),
        routing_(make_routing(work.shape, seed)),
        tokens_(static_cast<std::size_t>(work.shape.tokens)),
        topk_(static_cast<std::size_t>(routing_.topk)),
        hidden_(static_cast<std::size_t>(work.shape.hidden)) {
    std::vector<std::size_t> order(tokens_ * topk_);
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return routing_.experts[a] < routing_.experts[b];
    });
    places_.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      places_[order[i]] = i;
    }
  }

 protected:
  Shape shape_;
  Routing routing_;
  std::size_t tokens_;
  std::size_t topk_;
  std::size_t hidden_;
  std::vector<std::size_t> places_;  // of each token's copy among the sorted rows
};

class PermuteKernel : public TokenKernel {
 public:
  PermuteKernel(const Work& work, std::uint64_t seed)
      : TokenKernel(work, seed),
        back_(work.kernel == Kernel::unpermute),
        rows_(fractions(tokens_ * hidden_, seed + 3)),
        sorted_(fractions(tokens_ * topk_ * hidden_, seed + 4)) {}

  void run(int threads) override {
    in_parallel(tokens_, threads, [this](std::size_t begin, std::size_t end, int) {
      for (std::size_t token = begin; token < end; ++token) {
        back_ ? gather(token) : scatter(token);
      }
    });
  }

  Check verify(int threads) override {
    Floats& out = back_ ? rows_ : sorted_;
    const Floats before = out;
    std::fill(out.begin(), out.end(), std::nanf(""));
    run(threads);
    Check check = back_ ? judged("largest difference from double precision", sum_error(), 1e-5)
                        : judged("bitwise", copy_error(), 0);
    out = before;
    return check;
  }

 private:
  void scatter(std::size_t token) {
    for (std::size_t slot = 0; slot < topk_; ++slot) {
      std::memcpy(&sorted_[places_[token * topk_ + slot] * hidden_],
                  &rows_[token * hidden_],
                  hidden_ * sizeof(float));
    }
  }

  void gather(std::size_t token) {
    float* const out = &rows_[token * hidden_];
    std::fill(out, out + hidden_, 0.0F);
    for (std::size_t slot = 0; slot < topk_; ++slot) {
      const float weight = routing_.probabilities[token * topk_ + slot];
      const float* const in = &sorted_[places_[token * topk_ + slot] * hidden_];
      for (std::size_t i = 0; i < hidden_; ++i) {
        out[i] += weight * in[i];
      }
    }
  }

  double copy_error() const {
    for (std::size_t copy = 0; copy < tokens_ * topk_; ++copy) {
      if (std::memcmp(&sorted_[places_[copy] * hidden_],
                      &rows_[copy / topk_ * hidden_],
                      hidden_ * sizeof(float)) != 0) {
        return 1;
      }
    }
    return 0;
  }

  double sum_error() const {
    double worst = 0;
    for (std::size_t place = 0; place < rows_.size(); ++place) {
      const std::size_t token = place / hidden_;
      double expected = 0;
      for (std::size_t slot = 0; slot < topk_; ++slot) {
        expected +=
            static_cast<double>(routing_.probabilities[token * topk_ + slot]) *
            static_cast<double>(sorted_[places_[token * topk_ + slot] * hidden_ + place % hidden_]);
      }
      const double off = std::abs(static_cast<double>(rows_[place]) - expected);
      worst = std::isnan(off) ? HUGE_VAL : std::max(worst, off);
    }
    return worst;
  }

  bool back_;
  Floats rows_;
  Floats sorted_;
};

class SwigluKernel : public CpuKernel {
 public:
  SwigluKernel(const Work& work, std::uint64_t seed)
      : rows_(static_cast<std::size_t>(work.shape.tokens * work.shape.topk)),
        inter_(static_cast<std::size_t>(work.shape.inter)),
        in_(fractions(rows_ * inter_ * 2, seed)),
        out_(rows_ * inter_, 0) {}

  void run(int threads) override {
    in_parallel(rows_, threads, [this](std::size_t begin, std::size_t end, int) {
      for (std::size_t row = begin; row < end; ++row) {
        const float* const gate = &in_[row * inter_ * 2];
        const float* const up = gate + inter_;
        float* const out = &out_[row * inter_];
        for (std::size_t i = 0; i < inter_; ++i) {
          out[i] = gate[i] / (1 + std::exp(-gate[i])) * up[i];
        }
      }
    });
  }

  Check verify(int threads) override {
    std::fill(out_.begin(), out_.end(), std::nanf(""));
    run(threads);
    double worst = 0;
    for (std::size_t place = 0; place < out_.size(); ++place) {
      const std::size_t at = place / inter_ * inter_ * 2 + place % inter_;
      const auto gate = static_cast<double>(in_[at]);
      const double expected = gate / (1 + std::exp(-gate)) * static_cast<double>(in_[at + inter_]);
      const double off = std::abs(static_cast<double>(out_[place]) - expected);
      worst = std::isnan(off) ? HUGE_VAL : std::max(worst, off);
    }
    return judged("largest difference from double precision", worst, 1e-5);
  }

 private:
  std::size_t rows_;
  std::size_t inter_;
  Floats in_;
  Floats out_;
};

/// Top-k of logits by repeated maximum, softmax of the chosen ones.
class RouterKernel : public CpuKernel {
 public:
  RouterKernel(const Work& work, std::uint64_t seed)
      : tokens_(static_cast<std::size_t>(work.shape.tokens)),
        experts_(static_cast<std::size_t>(work.shape.experts)),
        topk_(static_cast<std::size_t>(work.shape.topk)),
        logits_(fractions(tokens_ * experts_, seed)),
        chosen_(tokens_ * topk_, 0),
        weights_(tokens_ * topk_, 0) {}

  void run(int threads) override {
    in_parallel(tokens_, threads, [this](std::size_t begin, std::size_t end, int) {
      Floats row(experts_);
      for (std::size_t token = begin; token < end; ++token) {
        choose(token, row);
      }
    });
  }

  Check verify(int threads) override {
    std::fill(chosen_.begin(), chosen_.end(), experts_);
    run(threads);
    double wrong = 0;
    std::vector<std::size_t> order(experts_);
    for (std::size_t token = 0; token < tokens_; ++token) {
      std::iota(order.begin(), order.end(), 0U);
      const float* const row = &logits_[token * experts_];
      std::stable_sort(order.begin(), order.end(), [row](std::size_t a, std::size_t b) {
        return row[a] > row[b];
      });
      double sum = 0;
      for (std::size_t slot = 0; slot < topk_; ++slot) {
        wrong += chosen_[token * topk_ + slot] == order[slot] ? 0 : 1;
        sum += static_cast<double>(weights_[token * topk_ + slot]);
      }
      wrong += std::abs(sum - 1) < 1e-5 ? 0 : 1;
    }
    return judged("choices compared with a full sort", wrong, 0);
  }

 private:
  void choose(std::size_t token, Floats& row) {
    std::copy_n(&logits_[token * experts_], experts_, row.begin());
    float sum = 0;
    for (std::size_t slot = 0; slot < topk_; ++slot) {
      const auto best = std::max_element(row.begin(), row.end());
      chosen_[token * topk_ + slot] = static_cast<std::size_t>(best - row.begin());
      weights_[token * topk_ + slot] = std::exp(*best);
      sum += weights_[token * topk_ + slot];
      *best = -HUGE_VALF;
    }
    for (std::size_t slot = 0; slot < topk_; ++slot) {
      weights_[token * topk_ + slot] /= sum;
    }
  }

  std::size_t tokens_;
  std::size_t experts_;
  std::size_t topk_;
  Floats logits_;
  std::vector<std::size_t> chosen_;
  Floats weights_;
};

/// Counts of all ranks' tokens by expert, with separate experts per thread.
class ScanKernel : public TokenKernel {
 public:
  ScanKernel(const Work& work, std::uint64_t seed)
      : TokenKernel(work, seed),
        experts_(static_cast<std::size_t>(work.shape.experts)),
        map_(tokens_ * experts_, 0),
        offsets_(experts_ + 1, 0) {
    for (std::size_t copy = 0; copy < tokens_ * topk_; ++copy) {
      map_[copy / topk_ * experts_ + static_cast<std::size_t>(routing_.experts[copy])] = 1;
    }
  }

  void run(int threads) override {
    in_parallel(experts_, threads, [this](std::size_t begin, std::size_t end, int) {
      std::fill(offsets_.begin() + static_cast<std::ptrdiff_t>(begin) + 1,
                offsets_.begin() + static_cast<std::ptrdiff_t>(end) + 1,
                0);
      for (std::size_t token = 0; token < tokens_; ++token) {
        for (std::size_t expert = begin; expert < end; ++expert) {
          offsets_[expert + 1] += map_[token * experts_ + expert];
        }
      }
    });
    std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  }

  Check verify(int threads) override {
    run(threads);
    std::vector<std::size_t> expected(experts_ + 1, 0);
    for (const int expert : routing_.experts) {
      ++expected[static_cast<std::size_t>(expert) + 1];
    }
    std::partial_sum(expected.begin(), expected.end(), expected.begin());
    return judged("exact", expected == offsets_ ? 0 : 1, 0);
  }

 private:
  std::size_t experts_;
  std::vector<std::uint8_t> map_;
  std::vector<std::size_t> offsets_;
};

}  // namespace

std::unique_ptr<CpuKernel> make_token_kernel(const Work& work, std::uint64_t seed) {
  switch (work.kernel) {
    case Kernel::swiglu:
      return std::make_unique<SwigluKernel>(work, seed);
    case Kernel::router:
      return std::make_unique<RouterKernel>(work, seed);
    case Kernel::scan:
      return std::make_unique<ScanKernel>(work, seed);
    default:
      return std::make_unique<PermuteKernel>(work, seed);
  }
}

namespace {

/// Dispatch and combine in loopback: the ranks are regions of one allocation; a token's row appears
/// once in the region of each destination rank. Slots are reserved in advance, as in the metadata
/// step of the libraries.
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
    // The pipelined structure distributes chunks of tokens; the others work token by token.
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
    check.kind = is_combine() ? "exact sums of integers" : "bitwise, row by row";
    std::vector<float>& out = is_combine() ? sums_ : regions_;
    std::fill(out.begin(), out.end(), -99.0F);
    run(threads);
    const std::size_t wrong = is_combine() ? wrong_sum() : wrong_row();
    check.result = wrong == kNone ? Check::Result::passed : Check::Result::failed;
    if (wrong != kNone) {
      check.what = "token " + std::to_string(wrong) + " is wrong";
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

  /// A token sent to u ranks is returned u times.
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
