#include "ui/prediction_text.h"

#include <array>
#include <cmath>
#include <cstdlib>
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

double rounded(double value) {
  return std::strtod(fmt::format("{:.12g}", value).c_str(), nullptr);
}

Json range_json(const sim::Range& range, double unit) {
  return {{"value", rounded(range.value / unit)},
          {"low", rounded(range.low / unit)},
          {"high", rounded(range.high / unit)}};
}

Json missing_json(const std::vector<text::Diagnostic>& missing) {
  Json all = Json::array();
  for (const text::Diagnostic& each : missing) {
    all.push_back({{"message", each.message}, {"help", each.help}});
  }
  return all;
}

namespace {

/// How far the upper end of an interval exceeds its middle, in per cent.
double percent_up(double half_width) {
  return 100 * (std::exp(half_width) - 1);
}

}  // namespace

std::vector<std::string> calibration_lines(const sim::CalibrationEffect& effect) {
  std::vector<std::string> lines = {fmt::format(
      "{} of the {} constants that matter here are measured, {} without the calibration",
      effect.measured,
      effect.mattering,
      effect.bound_before)};
  if (effect.level_known > 0) {
    lines.push_back(fmt::format("measured steps of similar runs move the step by {:+.1f} %",
                                100 * (effect.level - 1)));
  }
  lines.push_back(fmt::format("the interval extends {:.0f} % above the value instead of {:.0f} %",
                              percent_up(effect.half_width),
                              percent_up(effect.half_width_before)));
  return lines;
}

std::string calibration_sentence(const sim::CalibrationEffect& effect) {
  std::string text = fmt::format("{} ({})", effect.path, effect.device);
  std::string_view before = ": ";
  for (const auto& lines : {calibration_lines(effect), effect.notes}) {
    for (const std::string& line : lines) {
      text += fmt::format("{}{}", before, line);
      before = "; ";
    }
  }
  return text;
}

Json effect_json(const sim::CalibrationEffect& effect) {
  return {{"path", effect.path},
          {"device", effect.device},
          {"constants_that_matter", effect.mattering},
          {"measured", effect.measured},
          {"measured_without", effect.bound_before},
          {"half_width", rounded(effect.half_width)},
          {"half_width_without", rounded(effect.half_width_before)},
          {"constants", effect.constants},
          {"notes", effect.notes}};
}

}  // namespace epwise::report
