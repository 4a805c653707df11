#include "commands/lint/price_text.h"

#include <fmt/format.h>

#include "ui/prediction_text.h"

namespace epwise::report {

std::string price_text(const advise::Price& price) {
  constexpr double kHundred = 100;
  return fmt::format("{} costs {} per step ({} to {}), {:.1f} % of it, {:.0f} GPU-hours per day",
                     price.finding.message,
                     seconds_text(price.seconds.value),
                     seconds_text(price.seconds.low),
                     seconds_text(price.seconds.high),
                     price.share.value * kHundred,
                     price.gpu_hours);
}

std::vector<lint::Evidence> price_evidence(const advise::Price& price) {
  const auto entry = [](std::string name, const sim::Range& range) -> lint::Evidence {
    return {std::move(name),
            fmt::format("{:.4g}", range.value),
            fmt::format("predicted, 80 %: {:.4g} to {:.4g}", range.low, range.high)};
  };
  return {entry("seconds per step", price.seconds),
          entry("share of the step", price.share),
          {"GPU-hours per day", fmt::format("{:.0f}", price.gpu_hours), "predicted"}};
}

}  // namespace epwise::report
