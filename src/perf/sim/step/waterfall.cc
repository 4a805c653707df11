#include "perf/sim/step/waterfall.h"

#include <cstddef>

#include "perf/sim/step/step.h"

namespace epwise::sim {

namespace {

using Join = void (*)(Effects& effects);

/// The causes in the order in which they are added, which is that of the names.
constexpr std::array<Join, kWaterfallNames.size()> kJoins = {
    [](Effects&) {},
    [](Effects& effects) { effects.dispatch = true; },
    [](Effects& effects) { effects.combine = true; },
    [](Effects& effects) { effects.contention = true; },
    [](Effects& effects) { effects.host_launches = effects.host_stalls = true; },
    [](Effects& effects) { effects.imbalance = true; },
    [](Effects& effects) { effects.uneven_stages = true; },
    [](Effects& effects) { effects.bubble = true; },
    [](Effects& effects) { effects.data_parallel = true; },
    [](Effects& effects) { effects.optimizer = true; }};

}  // namespace

Waterfall waterfall_of(const StepWork& work, const Constants& constants) {
  Effects effects{false, false, false, false, false, false, false, false, false, false};
  Waterfall waterfall{};
  double before = 0;
  for (std::size_t i = 0; i < kJoins.size(); ++i) {
    kJoins[i](effects);
    const double step = evaluate(work, constants, effects).step;
    waterfall[i] = {kWaterfallNames[i], step - before};
    before = step;
  }
  return waterfall;
}

}  // namespace epwise::sim
