#include "gpu/abi/reference.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

namespace epwise::abi {

std::vector<std::uint32_t> filled(Fill fill, std::uint64_t seed, std::uint64_t words) {
  std::vector<std::uint32_t> buffer;
  buffer.reserve(words);
  for (std::uint64_t word = 0; word < words; ++word) {
    buffer.push_back(filled_word(fill, seed, word));
  }
  return buffer;
}

std::vector<Bf16> filled_bf16(Fill fill,
                              std::uint64_t seed,
                              std::uint64_t first,
                              std::uint64_t count) {
  std::vector<Bf16> values;
  values.reserve(count);
  for (std::uint64_t i = first; i < first + count; ++i) {
    const std::uint32_t word = filled_word(fill, seed, i / 2);
    values.push_back(static_cast<Bf16>(i % 2 == 0 ? word & 0xffffU : word >> 16U));
  }
  return values;
}

std::uint32_t word_sum(std::span<const std::uint32_t> words) {
  return std::accumulate(words.begin(), words.end(), std::uint32_t{0});
}

std::vector<Bf16> permuted(std::span<const Bf16> rows,
                           std::span<const std::int32_t> row_of,
                           std::int32_t copies,
                           std::int64_t width,
                           std::int64_t rows_out,
                           Bf16 blank) {
  std::vector<Bf16> out(static_cast<std::size_t>(rows_out * width), blank);
  for (std::size_t i = 0; i < row_of.size(); ++i) {
    if (row_of[i] >= 0) {
      const auto from = static_cast<std::int64_t>(i) / copies * width;
      std::copy_n(rows.begin() + from, width, out.begin() + row_of[i] * width);
    }
  }
  return out;
}

std::vector<Bf16> unpermuted_row(std::span<const std::vector<Bf16>> rows,
                                 std::span<const float> weights) {
  assert(!rows.empty() && (weights.empty() || weights.size() == rows.size()));
  std::vector<Bf16> out;
  for (std::size_t i = 0; i < rows.front().size(); ++i) {
    float sum = 0;
    for (std::size_t copy = 0; copy < rows.size(); ++copy) {
      sum += (weights.empty() ? 1.0F : weights[copy]) * from_bf16(rows[copy][i]);
    }
    out.push_back(to_bf16(sum));
  }
  return out;
}

std::vector<double> swiglu_row(std::span<const Bf16> gate_up, float weight) {
  const std::size_t width = gate_up.size() / 2;
  std::vector<double> out;
  for (std::size_t i = 0; i < width; ++i) {
    const double gate = from_bf16(gate_up[i]);
    out.push_back(gate / (1.0 + std::exp(-gate)) * from_bf16(gate_up[width + i]) * weight);
  }
  return out;
}

QuantizedRow quantized_row(std::span<const Bf16> row) {
  QuantizedRow out;
  for (std::size_t start = 0; start < row.size(); start += 128) {
    float largest = 0;
    for (const Bf16 value : row.subspan(start, 128)) {
      largest = std::max(largest, std::abs(from_bf16(value)));
    }
    const float scale = largest > 0 ? largest / 448.0F : 1.0F;
    out.scales.push_back(scale);
    for (const Bf16 value : row.subspan(start, 128)) {
      out.values.push_back(to_e4m3(from_bf16(value) / scale));
    }
  }
  return out;
}

Choice routed_token(std::span<const float> logits, std::int32_t topk, bool sigmoid) {
  Choice choice;
  std::vector<std::int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&logits](std::int32_t a, std::int32_t b) {
    return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)];
  });
  order.resize(static_cast<std::size_t>(topk));
  double total = 0;
  for (const std::int32_t expert : order) {
    const double logit = logits[static_cast<std::size_t>(expert)];
    const double top = logits[static_cast<std::size_t>(order.front())];
    choice.probabilities.push_back(sigmoid ? 1 / (1 + std::exp(-logit)) : std::exp(logit - top));
    total += choice.probabilities.back();
  }
  for (double& probability : choice.probabilities) {
    probability /= total;
  }
  choice.experts = order;
  return choice;
}

Scan scanned(std::span<const std::uint8_t> routing_map, std::int32_t experts) {
  const auto columns = static_cast<std::size_t>(experts);
  Scan scan = {.offsets = std::vector<std::int32_t>(columns + 1, 0),
               .places = std::vector<std::int32_t>(routing_map.size(), -1)};
  for (std::size_t i = 0; i < routing_map.size(); ++i) {
    scan.offsets[i % columns + 1] += routing_map[i] != 0 ? 1 : 0;
  }
  for (std::size_t expert = 0; expert < columns; ++expert) {
    scan.offsets[expert + 1] += scan.offsets[expert];
  }
  std::vector<std::int32_t> next = scan.offsets;
  for (std::size_t i = 0; i < routing_map.size(); ++i) {
    if (routing_map[i] != 0) {
      scan.places[i] = next[i % columns]++;
    }
  }
  return scan;
}

double dot(std::span<const double> row, std::span<const double> column) {
  return std::inner_product(row.begin(), row.end(), column.begin(), 0.0);
}

double relative_error(std::span<const double> found, std::span<const double> wanted) {
  assert(found.size() == wanted.size());
  double difference = 0;
  double size = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!std::isfinite(found[i])) {
      return std::numeric_limits<double>::infinity();
    }
    difference += (found[i] - wanted[i]) * (found[i] - wanted[i]);
    size += wanted[i] * wanted[i];
  }
  if (size == 0) {
    return difference == 0 ? 0 : std::numeric_limits<double>::infinity();
  }
  return std::sqrt(difference / size);
}

}  // namespace epwise::abi
