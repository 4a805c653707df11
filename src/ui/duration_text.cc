#include "ui/duration_text.h"

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace epwise::report {
namespace {

/// Three significant digits of a number of at least 1.
int decimals(double value) {
  const double size = std::abs(value);
  if (size < 9.995) {
    return 2;
  }
  return size < 99.95 ? 1 : 0;
}

}  // namespace

std::string seconds_text(double seconds) {
  constexpr std::array<std::pair<double, std::string_view>, 3> kUnits = {
      {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}}};
  for (const auto& [unit, name] : kUnits) {
    if (std::abs(seconds) >= unit) {
      const double value = seconds / unit;
      return fmt::format("{:.{}f} {}", value, decimals(value), name);
    }
  }
  return "0 s";
}

std::string count_text(double value) {
  return fmt::format("{:.{}f}", value, decimals(value));
}

}  // namespace epwise::report
