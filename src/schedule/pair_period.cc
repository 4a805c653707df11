#include "schedule/pair_period.h"

#include <limits>

#include "schedule/layer_script.h"

namespace epwise::schedule {

namespace {

constexpr std::array<double Clocks::*, kClockCount> kClocks = {
    &Clocks::compute,
    &Clocks::comm,
    &Clocks::host,
    &Clocks::forward,
    &Clocks::backward,
    &Clocks::queue,
};

}  // namespace

MaxPlusMatrix pair_matrix(const LayerCost* forward,
                          const LayerCost* backward,
                          const IssueRules& rules) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  const LayerScript script(forward, backward, rules);
  MaxPlusMatrix matrix{};
  for (std::size_t j = 0; j < kClockCount; ++j) {
    Clocks clocks{kNever, kNever, kNever, kNever, kNever, kNever};
    clocks.*kClocks[j] = 0;
    script.run(clocks);
    for (std::size_t i = 0; i < kClockCount; ++i) {
      matrix[i][j] = clocks.*kClocks[i];
    }
  }
  return matrix;
}

double pair_period(const LayerCost& layer, const IssueRules& rules) {
  return max_cycle_mean(pair_matrix(&layer, &layer, rules));
}

}  // namespace epwise::schedule
