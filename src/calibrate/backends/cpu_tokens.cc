#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "calibrate/backends/cpu_kernel.h"
#include "calibrate/work/routing.h"

namespace epwise::calibrate {

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

/// What the kernels around the experts share: routing, rows, and places sorted by expert.
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
    const Check check = back_ ? judged("largest difference to double precision", sum_error(), 1e-5)
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
    return judged("largest difference to double precision", worst, 1e-5);
  }

 private:
  std::size_t rows_;
  std::size_t inter_;
  Floats in_;
  Floats out_;
};

/// Top-k of logits by repeated maximum, softmax of what was chosen.
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
    return judged("choices against a full sort", wrong, 0);
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

/// Counts of all ranks' tokens by expert, each thread its own experts.
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

}  // namespace epwise::calibrate
