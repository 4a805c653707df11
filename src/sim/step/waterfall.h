#pragma once

#include <array>
#include <string_view>

#include "sim/constants/constants.h"
#include "sim/work/step_work.h"

namespace epwise::sim {

/// The terms, in their order.
inline constexpr std::array<std::string_view, 9> kWaterfallNames = {"compute",
                                                                    "dispatch",
                                                                    "combine",
                                                                    "contention",
                                                                    "host",
                                                                    "imbalance",
                                                                    "bubble",
                                                                    "data_parallel",
                                                                    "optimizer"};

/// What one cause adds to a step.
struct WaterfallTerm {
  std::string_view name;
  double seconds = 0;
};

/// A step taken apart, from bare compute on: each term is what the step grows by when its cause
/// joins those before it. They sum to the step.
///   compute, dispatch, combine, contention, host, imbalance, bubble, data_parallel, optimizer
using Waterfall = std::array<WaterfallTerm, 9>;

/// Ten evaluations.
Waterfall waterfall_of(const StepWork& work, const Constants& constants);

}  // namespace epwise::sim
