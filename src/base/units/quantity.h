#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The divisor of a value in base units for display.

namespace epwise::units {

inline constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;  // bytes
inline constexpr double kTera = 1e12;

/// The dimension of a number. Rates and sizes are kept in base units: bytes, seconds, FLOP,
/// bytes/s, FLOP/s, hertz.
enum class Dimension : std::uint8_t {
  none,
  bytes,
  seconds,
  flops,
  bytes_per_second,
  flops_per_second,
  hertz
};

/// A number with its dimension, in base units.
struct Quantity {
  double value = 0;
  Dimension dimension = Dimension::none;

  bool operator==(const Quantity&) const = default;
};

/// The factor and dimension of a unit; nullopt for an unknown one.
///   parse_unit("GiB") → {1073741824, bytes};  parse_unit("GB/s") → {1e9, bytes_per_second};
///   parse_unit("us") → {1e-6, seconds};  parse_unit("TFLOP/s") → {1e12, flops_per_second};
///   parse_unit("Gbit/s") → {1.25e8, …}
std::optional<Quantity> parse_unit(std::string_view unit);

/// "3.35 TB/s", "80 GiB", "12 us" → a quantity; a number without a unit has dimension none; nullopt
/// otherwise.
std::optional<Quantity> parse_quantity(std::string_view text);

/// Three significant digits, decimal prefixes for rates, binary ones for memory: "80 GiB", "3.35
/// TB/s", "12 us".
std::string to_text(const Quantity& quantity);

std::string_view to_string(Dimension dimension);  // "bytes", "bytes/s", …

}  // namespace epwise::units
