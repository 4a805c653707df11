#pragma once

#include <array>
#include <cstddef>

#include "schedule/layer_pair.h"

namespace epwise::schedule {

/// A square matrix over (max, +): entry [i][j] is the longest delay from clock j to clock i, −∞ for
/// none. Clocks in the order of `Clocks`.
using MaxPlusMatrix = std::array<std::array<double, kClockCount>, kClockCount>;

/// (a ⊗ b)[i][j] = max over k of a[i][k] + b[k][j]: first b, then a.
MaxPlusMatrix multiply(const MaxPlusMatrix& a, const MaxPlusMatrix& b);

/// `a` applied n ≥ 0 times, in about 2 log2 n products.
MaxPlusMatrix power(MaxPlusMatrix a, int n);

/// When each clock stands after `a`, begun with clocks at `x`.
Clocks apply(const MaxPlusMatrix& a, const Clocks& x);

/// The largest mean weight of a cycle (Karp 1978): the average by which a ⊗ a ⊗ … grows with each
/// factor. −∞ where there is no cycle. Exact but for rounding; 6³ additions, no allocation.
double max_cycle_mean(const MaxPlusMatrix& a);

}  // namespace epwise::schedule
