#include "calibrate/work/routing.h"

#include <algorithm>
#include <random>

namespace epwise::calibrate {

namespace {

double uniform(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

}  // namespace

Routing make_routing(const Shape& shape, std::uint64_t seed) {
  const auto tokens = static_cast<std::size_t>(shape.tokens);
  const auto topk = static_cast<std::size_t>(std::max<std::int64_t>(shape.topk, 1));
  const auto experts = static_cast<std::size_t>(std::max<std::int64_t>(shape.experts, 1));
  const auto ranks = static_cast<std::size_t>(std::max<std::int64_t>(shape.ranks, 1));
  const std::size_t local = std::max<std::size_t>(experts / ranks, 1);
  std::mt19937_64 random(seed);
  Routing routing;
  routing.ranks = static_cast<int>(ranks);
  routing.topk = static_cast<int>(topk);
  routing.experts.resize(tokens * topk);
  routing.probabilities.resize(tokens * topk);
  routing.reached.assign(tokens * ranks, 0);
  std::vector<int> order(experts);
  for (std::size_t i = 0; i < experts; ++i) {
    order[i] = static_cast<int>(i);
  }
  for (std::size_t token = 0; token < tokens; ++token) {
    double sum = 0;
    for (std::size_t slot = 0; slot < topk; ++slot) {
      // The beginning of a shuffle: distinct experts, each equally likely.
      std::swap(order[slot], order[slot + random() % (experts - slot)]);
      const int expert = order[slot];
      const double weight = 0.1 + uniform(random);
      routing.experts[token * topk + slot] = expert;
      routing.probabilities[token * topk + slot] = static_cast<float>(weight);
      routing
          .reached[token * ranks + std::min(static_cast<std::size_t>(expert) / local, ranks - 1)] =
          1;
      sum += weight;
    }
    for (std::size_t slot = 0; slot < topk; ++slot) {
      routing.probabilities[token * topk + slot] /= static_cast<float>(sum);
    }
  }
  return routing;
}

std::vector<float> whole_numbers(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<float> numbers(count);
  for (float& number : numbers) {
    number = static_cast<float>(static_cast<int>(random() % 17) - 8);
  }
  return numbers;
}

std::vector<float> fractions(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<float> numbers(count);
  for (float& number : numbers) {
    number = static_cast<float>(2 * uniform(random) - 1);
  }
  return numbers;
}

}  // namespace epwise::calibrate
