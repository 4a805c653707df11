#pragma once

namespace epwise::cost {

/// Half of an 80 % interval of the normal distribution, in standard deviations: nine tenths lie
/// below it.
inline constexpr double kNineTenths = 1.2815515655446004;

}  // namespace epwise::cost
