#include "schedule/max_plus.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace epwise::schedule {

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

using Row = std::array<double, kClockCount>;

Row row_of(const Clocks& x) {
  return {x.compute, x.comm, x.host, x.forward, x.backward, x.queue};
}

Row product(const MaxPlusMatrix& a, const Row& x) {
  Row y{};
  for (std::size_t i = 0; i < kClockCount; ++i) {
    double most = kNever;
    for (std::size_t j = 0; j < kClockCount; ++j) {
      most = std::max(most, a[i][j] + x[j]);
    }
    y[i] = most;
  }
  return y;
}

MaxPlusMatrix identity() {
  MaxPlusMatrix one{};
  for (std::size_t i = 0; i < kClockCount; ++i) {
    one[i].fill(kNever);
    one[i][i] = 0;
  }
  return one;
}

}  // namespace

MaxPlusMatrix multiply(const MaxPlusMatrix& a, const MaxPlusMatrix& b) {
  MaxPlusMatrix c{};
  for (std::size_t i = 0; i < kClockCount; ++i) {
    for (std::size_t j = 0; j < kClockCount; ++j) {
      double most = kNever;
      for (std::size_t k = 0; k < kClockCount; ++k) {
        most = std::max(most, a[i][k] + b[k][j]);
      }
      c[i][j] = most;
    }
  }
  return c;
}

MaxPlusMatrix power(MaxPlusMatrix a, int n) {
  assert(n >= 0 && "a step can't be taken back");
  MaxPlusMatrix result = identity();
  for (; n > 0; n /= 2) {
    if (n % 2 == 1) {
      result = multiply(a, result);
    }
    if (n > 1) {
      a = multiply(a, a);
    }
  }
  return result;
}

Clocks apply(const MaxPlusMatrix& a, const Clocks& x) {
  const Row y = product(a, row_of(x));
  return {y[0], y[1], y[2], y[3], y[4], y[5]};
}

double max_cycle_mean(const MaxPlusMatrix& a) {
  // walks[k][v]: the heaviest walk of k arcs that ends in v, begun anywhere.
  std::array<Row, kClockCount + 1> walks{};
  for (std::size_t k = 1; k <= kClockCount; ++k) {
    walks[k] = product(a, walks[k - 1]);
  }
  double best = kNever;
  for (std::size_t v = 0; v < kClockCount; ++v) {
    if (walks[kClockCount][v] == kNever) {
      continue;
    }
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < kClockCount; ++k) {
      // A walk of k arcs that doesn't exist bounds nothing.
      const double mean =
          (walks[kClockCount][v] - walks[k][v]) / static_cast<double>(kClockCount - k);
      least = std::min(least, mean);
    }
    best = std::max(best, least);
  }
  return best;
}

}  // namespace epwise::schedule
