#include "calibrate/sampling/statistics.h"

#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace epwise::calibrate {

namespace {

std::vector<double> noisy(std::mt19937_64& random, int rounds, double sd) {
  std::normal_distribution<double> normal(0, sd);
  std::vector<double> seconds;
  for (int i = 0; i < rounds; ++i) {
    seconds.push_back(std::exp(normal(random)));
  }
  return seconds;
}

}  // namespace

TEST_CASE("a median with its interval, outliers counted and kept") {
  const Timing timing =
      timing_of({1.00, 1.02, 0.99, 1.01, 1.60, 1.00, 1.01, 0.98, 1.00, 1.02, 1.01, 0.99});
  CHECK(timing.median == doctest::Approx(1.005));
  CHECK(timing.outliers == 1);
  CHECK(timing.rounds == 12);
  CHECK(timing.low == 0.99);   // third of twelve: P(Binomial(12, ½) < 3) = 1.9 %
  CHECK(timing.high == 1.02);  // third from the end
  CHECK(timing.least == 0.98);
}

TEST_CASE("fewer than six rounds bound no median") {
  CHECK(std::isinf(tightness(timing_of({1, 1, 1, 1, 1}))));
  CHECK(tightness(timing_of({1, 1, 1, 1, 1, 1})) == 0);
  CHECK(timing_of({}).rounds == 0);
}

TEST_CASE("the interval holds the true median with 95 % and a little more") {
  std::mt19937_64 random(3);
  for (const int rounds : {6, 11, 30, 75}) {
    int held = 0;
    constexpr int kTrials = 2000;
    for (int trial = 0; trial < kTrials; ++trial) {
      const Timing timing = timing_of(noisy(random, rounds, 0.05));
      held += timing.low <= 1 && 1 <= timing.high ? 1 : 0;
    }
    CAPTURE(rounds);
    CHECK(held > 0.94 * kTrials);
    CHECK(held < 0.995 * kTrials);
  }
}

TEST_CASE("drift is seen, noise is not taken for it") {
  std::mt19937_64 random(5);
  int false_alarms = 0;
  int seen = 0;
  constexpr int kTrials = 400;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> seconds = noisy(random, 30, 0.02);
    false_alarms += has_drifted(seconds) ? 1 : 0;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      seconds[i] *= 1 + 0.1 * static_cast<double>(i) / 30;
    }
    seen += has_drifted(seconds) ? 1 : 0;
  }
  CHECK(false_alarms < 0.02 * kTrials);
  CHECK(seen > 0.95 * kTrials);
}

}  // namespace epwise::calibrate
