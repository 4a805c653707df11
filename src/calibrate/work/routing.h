#pragma once

#include <cstdint>
#include <vector>

#include "calibrate/work/work.h"

namespace epwise::calibrate {

/// Destinations of the tokens of one rank: seeded, balanced on average, every token to `topk`
/// different experts. Identical on all platforms.
struct Routing {
  std::vector<int> experts;           // tokens × topk
  std::vector<float> probabilities;   // tokens × topk, grouped by token
  std::vector<std::uint8_t> reached;  // tokens × ranks: 1 where a copy goes

  int ranks = 1;
  int topk = 1;
};

Routing make_routing(const Shape& shape, std::uint64_t seed);

/// Numbers in [-8, 8] that bf16 represents exactly: sums of up to 32 of them are exact in float.
std::vector<float> whole_numbers(std::size_t count, std::uint64_t seed);

/// Numbers in [-1, 1].
std::vector<float> fractions(std::size_t count, std::uint64_t seed);

}  // namespace epwise::calibrate
