#include "report/prediction_json.h"

#include <cstdlib>

#include <fmt/format.h>

namespace epwise::report {

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

}  // namespace epwise::report
