#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cost/cost.h"

namespace epwise::sim {

/// Laws whose errors have nothing to do with each other.
enum class Law : std::uint8_t { dense, grouped, attention, memory, collective, exchange };

inline constexpr std::size_t kLawCount = 6;

/// How sure the laws behind a recipe's layers are: relative standard deviations, each the mean over
/// the recipe's calls by their durations. A law is as wrong for one layer as for the next, so
/// deviations are averaged, not their squares.
struct LawSpread {
  std::array<double, kLawCount> deviation{};

  double operator[](Law law) const { return deviation[static_cast<std::size_t>(law)]; }
};

/// Collects the answers of laws.
class LawTally {
 public:
  void add(Law law, const cost::Cost& cost);

  LawSpread spread() const;

 private:
  struct Sum {
    double seconds = 0;
    double deviation = 0;  // times seconds
  };

  std::array<Sum, kLawCount> sums_{};
};

}  // namespace epwise::sim
