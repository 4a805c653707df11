#pragma once

#include <string>
#include <vector>

#include "advise/advice.h"

namespace epwise::advise {

/// The cost of one setting compared with a valid alternative that fits: the step takes `seconds`
/// less with the alternative. Both intervals are 80 % and lie above 0.
struct Price {
  lint::Finding finding;  // rule of rules/price/; its message names the setting, not the amount
  sim::Range seconds;     // a step
  sim::Range share;       // of the step
  double gpu_hours = 0;   // per day, on all GPUs of the target
};

/// Costs of settings of one recipe, highest first.
struct PriceList {
  std::vector<Price> prices;
  std::string problem;  // why there are none: "model.hidden_size is missing"; usually empty
};

/// Evaluates every priced setting of the knowledge for the recipe, one at a time, everything else equal.
/// Omits costs below their own uncertainty. The world's target must have hardware and GPUs.
PriceList prices(const World& world, const Knowledge& knowledge);

}  // namespace epwise::advise
