#pragma once

#include <string>
#include <vector>

#include "advise/price.h"

namespace epwise::report {

/// "an exposed token exchange costs 312 ms per step (180 ms to 440 ms), 8.1 % of it, 410 GPU-hours
/// per day"
std::string price_text(const advise::Price& price);

/// The same as numbers: seconds per step, share of the step, GPU-hours per day, with their
/// intervals.
std::vector<lint::Evidence> price_evidence(const advise::Price& price);

}  // namespace epwise::report
