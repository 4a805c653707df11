#include "sim/uncertainty/normal_draws.h"

#include <cmath>
#include <numbers>

namespace epwise::sim {

/// SplitMix64 (Steele, Lea, Flood 2014), 53 bits of it, in (0, 1].
double NormalDraws::uniform() {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111eb;
  mixed ^= mixed >> 31U;
  constexpr double kSteps = 9007199254740992.0;
  return (static_cast<double>(mixed >> 11U) + 1) / kSteps;
}

/// Box and Muller: two deviates of two uniform numbers.
double NormalDraws::next() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(-2 * std::log(uniform()));
  const double angle = 2 * std::numbers::pi * uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

}  // namespace epwise::sim
