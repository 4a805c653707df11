#include "cli/lint/calendar.h"

#include <chrono>

#include <fmt/format.h>

namespace epwise::cli {

std::string today(const world::Variables& variables) {
  if (const auto said = variables.get("EPWISE_TODAY"); said && !said->empty()) {
    return *said;
  }
  const auto days = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  const std::chrono::year_month_day date(days);
  return fmt::format("{:04}-{:02}-{:02}",
                     static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

}  // namespace epwise::cli
