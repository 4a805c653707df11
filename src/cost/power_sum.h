#pragma once

#include <initializer_list>

namespace epwise::cost {

/// (x^4 + y^4 + …)^(1/4): near the greatest of several limits, a little above where two are close.
///   power_sum({3, 4}) → 4.285;  power_sum({10, 1}) → 10.0002
/// No overflow for any finite terms, which are not negative.
double power_sum(std::initializer_list<double> terms);

}  // namespace epwise::cost
