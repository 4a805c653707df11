#include <algorithm>
#include <limits>

#include <doctest/doctest.h>

#include "perf/schedule/layer_pair.h"
#include "support/sampling.h"
#include "support/schedule_draw.h"

namespace epwise::schedule {

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

/// The largest mean of all simple cycles through `path`'s first clock, by enumeration.
double best_cycle(const MaxPlusMatrix& a,
                  std::size_t first,
                  std::size_t here,
                  unsigned seen,
                  double weight,
                  int length) {
  double best = kNever;
  for (std::size_t next = first; next < kClockCount; ++next) {
    const double arc = a[next][here];
    if (arc == kNever) {
      continue;
    }
    if (next == first) {
      best = std::max(best, (weight + arc) / (length + 1));
    } else if ((seen & (1U << next)) == 0) {
      best =
          std::max(best, best_cycle(a, first, next, seen | (1U << next), weight + arc, length + 1));
    }
  }
  return best;
}

double enumerated_mean(const MaxPlusMatrix& a) {
  double best = kNever;
  for (std::size_t first = 0; first < kClockCount; ++first) {
    best = std::max(best, best_cycle(a, first, first, 1U << first, 0, 0));
  }
  return best;
}

LayerCost scaled(LayerCost layer, double factor) {
  for (auto& node : layer.nodes) {
    node.gpu *= factor;
    node.host *= factor;
    node.tail *= factor;
  }
  return layer;
}

}  // namespace

TEST_CASE("Karp's mean against the enumeration of all simple cycles") {
  test::Draw draw(5);
  for (int round = 0; round < 3000 / test::sanitized_share(20); ++round) {
    MaxPlusMatrix a{};
    for (auto& row : a) {
      for (double& entry : row) {
        entry = draw.whole(0, 2) == 0 ? kNever : draw.real(-5, 5);
      }
    }
    CHECK(max_cycle_mean(a) == doctest::Approx(enumerated_mean(a)).epsilon(1e-12));
  }
  MaxPlusMatrix none{};
  for (auto& row : none) {
    row.fill(kNever);
  }
  none[1][0] = 3;
  CHECK(max_cycle_mean(none) == kNever);
}

TEST_CASE("the period against the growth of a long stack and its matrix' power") {
  test::Draw draw(6);
  for (int round = 0; round < 1500 / test::sanitized_share(20); ++round) {
    const LayerCost layer = draw.layer(0, 1, draw.whole(0, 2));
    const IssueRules rules = draw.rules();
    const double period = pair_period(layer, rules);
    CHECK(period == doctest::Approx(enumerated_mean(pair_matrix(&layer, &layer, rules))));
    // 60 is a multiple of every cycle's length.
    CHECK(pair_growth(layer, 240, 60, rules) == doctest::Approx(period).epsilon(1e-3));
    const Clocks clocks = apply(power(pair_matrix(&layer, &layer, rules), 37), {});
    CHECK(clocks.gpu() == doctest::Approx(pair_time(layer, 37, rules)).epsilon(1e-12));
  }
}

TEST_CASE("bounds, monotonicity and homogeneity of the period") {
  test::Draw draw(7);
  for (int round = 0; round < 3000 / test::sanitized_share(20); ++round) {
    LayerCost layer = draw.layer(0, 1);
    layer.exchanges = true;
    layer.post = false;
    IssueRules rules;
    rules.delayed_wgrad = draw.coin();
    rules.early_release = draw.coin();
    const double period = pair_period(layer, rules);
    double compute = 0;
    double comm = 0;
    for (const Node node : issue_order(rules)) {
      (is_exchange(node) ? comm : compute) += layer.has(node) ? layer[node].gpu : 0;
    }
    CHECK(period <= serial_time(layer) + 1e-12);
    CHECK(period >= std::max({compute, comm, forward_time(layer)}) - 1e-12);

    IssueRules late = rules;
    late.delayed_wgrad = true;
    IssueRules early = rules;
    early.early_release = true;
    CHECK(pair_period(layer, late) <= period + 1e-12);
    CHECK(pair_period(layer, early) >= period - 1e-12);

    LayerCost longer = layer;
    longer.nodes[static_cast<std::size_t>(draw.whole(0, kNodeCount - 1))].gpu += draw.real(0, 1);
    CHECK(pair_period(longer, rules) >= period - 1e-12);
    CHECK(pair_period(scaled(layer, 3), rules) == doctest::Approx(3 * period));

    LayerCost quiet = layer;
    for (const Node node : issue_order(rules)) {
      quiet[node].gpu = is_exchange(node) ? 0 : quiet[node].gpu;
    }
    CHECK(pair_period(quiet, rules) == doctest::Approx(compute));
  }
}

TEST_CASE("more host time or a synchronisation is never faster; one queue neither") {
  test::Draw draw(8);
  for (int round = 0; round < 2000 / test::sanitized_share(20); ++round) {
    const LayerCost layer = draw.layer(0, 1, 0.5);
    IssueRules rules = draw.rules();
    const double period = pair_period(layer, rules);
    LayerCost slower = layer;
    slower.nodes[static_cast<std::size_t>(draw.whole(0, kNodeCount - 1))].host += draw.real(0, 1);
    CHECK(pair_period(slower, rules) >= period - 1e-12);
    IssueRules free = rules;
    free.sync = HostSync::none;
    CHECK(pair_period(layer, free) <= period + 1e-12);
    IssueRules many = rules;
    many.one_queue = false;
    CHECK(pair_period(layer, many) <= period + 1e-12);
  }
}

}  // namespace epwise::schedule
