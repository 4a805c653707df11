#pragma once

#include <cstdint>
#include <optional>

/// Arithmetic on numbers from user input, which may be arbitrary; nullopt if the result
/// leaves 64 bits.
namespace epwise::units {

inline std::optional<std::int64_t> product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
}

inline std::optional<std::int64_t> sum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
}

inline std::optional<std::int64_t> difference(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
}

}  // namespace epwise::units
