#pragma once

#include <array>
#include <string_view>

#include "perf/sim/constants/constants.h"
#include "perf/sim/work/step_work.h"

namespace epwise::sim {

/// The terms, in their order.
inline constexpr std::array<std::string_view, 10> kWaterfallNames = {"compute",
                                                                     "dispatch",
                                                                     "combine",
                                                                     "contention",
                                                                     "host",
                                                                     "imbalance",
                                                                     "uneven_stages",
                                                                     "bubble",
                                                                     "data_parallel",
                                                                     "optimizer"};

/// The contribution of one cause to a step.
struct WaterfallTerm {
  std::string_view name;
  double seconds = 0;
};

/// The breakdown of a step, starting with compute alone: each term is the growth of the step when
/// its cause is added to those before it. They sum to the step.
///   compute, dispatch, combine, contention, host, imbalance, uneven_stages, bubble, data_parallel,
///   optimizer
using Waterfall = std::array<WaterfallTerm, kWaterfallNames.size()>;

/// An evaluation for each term.
Waterfall waterfall_of(const StepWork& work, const Constants& constants);

}  // namespace epwise::sim
