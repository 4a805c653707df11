#include "base/units/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "base/text/ascii.h"

namespace epwise::units {

namespace {

constexpr double kKi = 1024;
constexpr double kMi = kKi * kKi;
constexpr double kGi = kMi * kKi;
constexpr double kTi = kGi * kKi;
constexpr double kPi = kTi * kKi;

struct Unit {
  std::string_view spelling;
  double factor = 1;
};

// Within a dimension: the prefixes used for printing first, ascending, then other spellings.
constexpr std::array<Unit, 12> kBytes = {{
    {"B", 1},
    {"KiB", kKi},
    {"MiB", kMi},
    {"GiB", kGi},
    {"TiB", kTi},
    {"PiB", kPi},
    {"kB", 1e3},
    {"KB", 1e3},
    {"MB", 1e6},
    {"GB", 1e9},
    {"TB", 1e12},
    {"PB", 1e15},
}};
constexpr std::array<Unit, 22> kBytesPerSecond = {{
    {"B/s", 1},           {"kB/s", 1e3},       {"MB/s", 1e6},       {"GB/s", 1e9},
    {"TB/s", 1e12},       {"PB/s", 1e15},      {"KB/s", 1e3},       {"KiB/s", kKi},
    {"MiB/s", kMi},       {"GiB/s", kGi},      {"TiB/s", kTi},      {"PiB/s", kPi},
    {"bit/s", 0.125},     {"kbit/s", 0.125e3}, {"Mbit/s", 0.125e6}, {"Gbit/s", 0.125e9},
    {"Tbit/s", 0.125e12}, {"Mb/s", 0.125e6},   {"Gb/s", 0.125e9},   {"Tb/s", 0.125e12},
    {"Gbps", 0.125e9},    {"Tbps", 0.125e12},
}};
constexpr std::array<Unit, 6> kSeconds = {{
    {"ns", 1e-9},
    {"us", 1e-6},
    {"ms", 1e-3},
    {"s", 1},
    {"\u00B5s", 1e-6},  // the micro sign
    {"\u03BCs", 1e-6},  // the Greek letter, which looks the same
}};
constexpr std::array<Unit, 13> kFlops = {{
    {"FLOP", 1},
    {"kFLOP", 1e3},
    {"MFLOP", 1e6},
    {"GFLOP", 1e9},
    {"TFLOP", 1e12},
    {"PFLOP", 1e15},
    {"EFLOP", 1e18},
    {"FLOPs", 1},
    {"MFLOPs", 1e6},
    {"GFLOPs", 1e9},
    {"TFLOPs", 1e12},
    {"PFLOPs", 1e15},
    {"EFLOPs", 1e18},
}};
constexpr std::array<Unit, 13> kFlopsPerSecond = {{
    {"FLOP/s", 1},
    {"kFLOP/s", 1e3},
    {"MFLOP/s", 1e6},
    {"GFLOP/s", 1e9},
    {"TFLOP/s", 1e12},
    {"PFLOP/s", 1e15},
    {"EFLOP/s", 1e18},
    {"FLOPS", 1},
    {"MFLOPS", 1e6},
    {"GFLOPS", 1e9},
    {"TFLOPS", 1e12},
    {"PFLOPS", 1e15},
    {"EFLOPS", 1e18},
}};
constexpr std::array<Unit, 5> kHertz = {{
    {"Hz", 1},
    {"kHz", 1e3},
    {"MHz", 1e6},
    {"GHz", 1e9},
    {"THz", 1e12},
}};

struct Family {
  Dimension dimension;
  std::string_view name;
  std::span<const Unit> units;
  std::size_t printed;  // how many of them, from the first, are used for printing
};

constexpr std::array<Family, 7> kFamilies = {{
    {Dimension::none, "none", {}, 0},
    {Dimension::bytes, "bytes", kBytes, 6},
    {Dimension::seconds, "seconds", kSeconds, 4},
    {Dimension::flops, "FLOP", kFlops, 7},
    {Dimension::bytes_per_second, "bytes/s", kBytesPerSecond, 6},
    {Dimension::flops_per_second, "FLOP/s", kFlopsPerSecond, 7},
    {Dimension::hertz, "hertz", kHertz, 5},
}};

const Family& family(Dimension dimension) {
  return kFamilies[static_cast<std::size_t>(dimension)];
}

/// To three significant digits.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) {
    return value;
  }
  const double step = std::pow(10, std::floor(std::log10(std::abs(value))) - 2);
  return std::round(value / step) * step;
}

/// Without an exponent and without trailing zeros: 3.35, 80, 1230.
std::string plain(double value) {
  auto digits = fmt::format("{:.6f}", value);
  if (digits.find('.') != std::string::npos) {
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') {
      digits.pop_back();
    }
  }
  return digits;
}

std::string without_unit(double value) {
  constexpr double kExactIntegers = 9007199254740992;  // 2^53
  if (std::abs(value) < kExactIntegers && value == std::trunc(value)) {
    return fmt::format("{:.0f}", value);  // a count is not rounded
  }
  return fmt::format("{:.3g}", value);
}

}  // namespace

std::optional<Quantity> parse_unit(std::string_view unit) {
  for (const Family& candidates : kFamilies) {
    for (const Unit& candidate : candidates.units) {
      if (candidate.spelling == unit) {
        return Quantity{.value = candidate.factor, .dimension = candidates.dimension};
      }
    }
  }
  return std::nullopt;
}

std::optional<Quantity> parse_quantity(std::string_view text) {
  text = text::trimmed(text, text::kWhitespace);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) {
    return std::nullopt;
  }
  const auto unit =
      text::trimmed(text.substr(static_cast<std::size_t>(end - text.data())), text::kWhitespace);
  if (unit.empty()) {
    return Quantity{.value = number, .dimension = Dimension::none};
  }
  auto quantity = parse_unit(unit);
  if (!quantity || !std::isfinite(quantity->value * number)) {
    return std::nullopt;
  }
  quantity->value *= number;
  return quantity;
}

std::string to_text(const Quantity& quantity) {
  const Family& candidates = family(quantity.dimension);
  if (candidates.units.empty() || !std::isfinite(quantity.value)) {
    return without_unit(quantity.value);
  }
  // The unit that leaves fewer than four digits before the point, after rounding.
  std::size_t index = 0;
  if (quantity.value == 0) {
    index =
        static_cast<std::size_t>(std::find_if(candidates.units.begin(),
                                              candidates.units.end(),
                                              [](const Unit& unit) { return unit.factor == 1; }) -
                                 candidates.units.begin());
  }
  while (index + 1 < candidates.printed &&
         std::abs(rounded(quantity.value / candidates.units[index].factor)) >= 1000) {
    ++index;
  }
  const Unit& unit = candidates.units[index];
  return fmt::format("{} {}", plain(rounded(quantity.value / unit.factor)), unit.spelling);
}

std::string_view to_string(Dimension dimension) {
  return family(dimension).name;
}

}  // namespace epwise::units
