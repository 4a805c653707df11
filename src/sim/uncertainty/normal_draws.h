#pragma once

#include <cstdint>

namespace epwise::sim {

/// Standard normal deviates, the same sequence on every machine and in every build (the standard
/// library leaves its distributions open).
class NormalDraws {
 public:
  NormalDraws() = default;

  /// Another sequence, independent of the first.
  explicit NormalDraws(std::uint64_t seed) : state_(seed) {}

  double next();

 private:
  double uniform();

  std::uint64_t state_ = 0x9e3779b97f4a7c15;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace epwise::sim
