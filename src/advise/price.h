#pragma once

#include <string>
#include <vector>

#include "advise/advice.h"

namespace epwise::advise {

/// What one setting of a recipe costs against another that is as legal and fits: a step takes
/// `seconds` less with that one. Both intervals hold 80 % and lie above 0.
struct Price {
  lint::Finding finding;  // of a rule of rules/price/; its message says what costs, not how much
  sim::Range seconds;     // a step
  sim::Range share;       // of the step
  double gpu_hours = 0;   // a day, on all GPUs of the target
};

/// Prices of one recipe, the highest first.
struct PriceList {
  std::vector<Price> prices;
  std::string problem;  // why there are none: "model.hidden_size is missing"; usually empty
};

/// Holds every toll of the knowledge against the recipe, one at a time, everything else equal. What
/// is below its own uncertainty is left out. Hardware and GPUs of the world's target must be known.
PriceList prices(const World& world, const Knowledge& knowledge);

}  // namespace epwise::advise
