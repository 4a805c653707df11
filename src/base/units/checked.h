#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

/// Numbers from user input, which may be arbitrary: reading them, and arithmetic that is nullopt if
/// the result leaves 64 bits.
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

/// A whole number in decimal digits, from `least` to `most`; nullopt for anything else.
///   whole_number("8000", 1, 65535) → 8000;  "80x", "+1", "" → nullopt
inline std::optional<int> whole_number(std::string_view text, int least, int most) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  const bool whole = read.ec == std::errc() && read.ptr == end;
  return whole && number >= least && number <= most ? std::optional(number) : std::nullopt;
}

}  // namespace epwise::units
