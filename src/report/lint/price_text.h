#pragma once

#include <string>
#include <vector>

#include "advise/price.h"

namespace epwise::report {

/// "a token exchange that nothing hides costs 312 ms a step (180 ms to 440 ms), 8.1 % of it, 410
/// GPU-hours a day"
std::string price_text(const advise::Price& price);

/// The same as numbers: seconds a step, share of the step, GPU-hours a day, with their intervals.
std::vector<lint::Evidence> price_evidence(const advise::Price& price);

}  // namespace epwise::report
