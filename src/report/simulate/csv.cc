#include <fmt/format.h>

#include "report/simulate/writer.h"
#include "units/prefixes.h"

namespace epwise::report {
namespace {

/// RFC 4180: quoted where it must be, quotes doubled.
std::string cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "\"";
  for (const char sign : text) {
    quoted += sign;
    if (sign == '"') {
      quoted += '"';
    }
  }
  return quoted + '"';
}

std::string range_cells(const sim::Range& range, double unit) {
  return fmt::format(
      ",{:.6g},{:.6g},{:.6g}", range.value / unit, range.low / unit, range.high / unit);
}

}  // namespace

std::string simulate_csv(const std::vector<SimulatedRecipe>& recipes) {
  constexpr std::size_t kRanges = 12;
  std::string out =
      "path,hw,lint_errors,step_time_s,step_time_low_s,step_time_high_s,tokens_per_s_per_gpu,"
      "tokens_low,tokens_high,tflops_per_gpu,tflops_low,tflops_high,"
      "peak_gib,peak_low,peak_high";
  for (const std::string_view name : sim::kWaterfallNames) {
    out += fmt::format(",{}_s", name);
  }
  out += '\n';
  for (const SimulatedRecipe& recipe : recipes) {
    out += fmt::format("{},{},{}", cell(recipe.path), cell(recipe.hw), recipe.lint_errors);
    if (!recipe.prediction) {
      out += std::string(kRanges + sim::kWaterfallNames.size(), ',') + '\n';
      continue;
    }
    const sim::Prediction& prediction = *recipe.prediction;
    out += range_cells(prediction.step_time, 1);
    out += range_cells(prediction.tokens_per_second, 1);
    out += range_cells(prediction.flops_per_second, units::kTera);
    out += range_cells(prediction.peak_memory, units::kGiB);
    for (const sim::WaterfallTerm& term : prediction.waterfall) {
      out += fmt::format(",{:.6g}", term.seconds);
    }
    out += '\n';
  }
  return out;
}

}  // namespace epwise::report
