#pragma once

#include <vector>

namespace epwise::calibrate {

/// How many SMs points of a plan are measured with: full curves, or a few places of them (`quick`).
/// A device with few SMs, as the CPU backend is, takes shares of them.
///   SmCounts{132, true}.beside() → 8, 16, 24, 32
struct SmCounts {
  int device = 0;
  bool quick = false;

  /// Of exchanges alone, with what the recipe itself takes (0: not known).
  std::vector<int> of_exchange(int stated) const;

  /// Of exchanges beside compute.
  std::vector<int> beside() const;

  /// How long an exchange waits for its SMs while compute holds them all: a term of its own, which
  /// depends on the compute's blocks more than on the number of SMs.
  std::vector<int> of_delay() const;

  /// Of compute: all, then what exchanges leave it.
  std::vector<int> left() const;
};

}  // namespace epwise::calibrate
