#include "cli/calibration/file.h"

#include <charconv>
#include <chrono>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/core.h>

#include "text/source_file.h"

namespace epwise::cli {

calibrate::Calibration load_calibration(const Session& session,
                                        const std::string& path,
                                        std::string_view way_out) {
  const text::SourceFile file(path, session.files.read(path));
  std::vector<text::Diagnostic> problems;
  auto calibration = calibrate::read_calibration(file, problems);
  if (!calibration) {
    throw world::MissingError(problems_text(problems) + std::string(way_out));
  }
  return *calibration;
}

std::string problems_text(const std::vector<text::Diagnostic>& problems) {
  std::string text;
  for (const text::Diagnostic& problem : problems) {
    const text::Position place = problem.mark.start();
    text += fmt::format(
        "{}{}{}{}",
        text.empty() ? "" : "\n",
        problem.mark.nowhere()
            ? ""
            : fmt::format("{}:{}:{}: ", problem.mark.file->name(), place.line, place.column),
        problem.message,
        problem.help.empty() ? "" : "; " + problem.help);
  }
  return text;
}

std::string time_stamp(const world::Variables& variables) {
  std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  if (const auto stated = variables.get("SOURCE_DATE_EPOCH")) {
    long long seconds = 0;
    const auto read = std::from_chars(stated->data(), stated->data() + stated->size(), seconds);
    constexpr long long kFarFuture = 253402300799;  // the year 9999
    if (read.ec == std::errc() && seconds >= 0 && seconds <= kFarFuture) {
      now = static_cast<std::time_t>(seconds);
    }
  }
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

double parse_duration(std::string_view text, std::string_view source) {
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(read.ptr,
                              static_cast<std::size_t>(text.data() + text.size() - read.ptr));
  constexpr double kMinute = 60;
  const double scale = unit.empty() || unit == "s" ? 1 : unit == "min" || unit == "m" ? kMinute : 0;
  if (read.ec != std::errc() || !(value > 0) || scale <= 0 || value > 1e6) {
    throw world::UsageError(
        fmt::format("{}: `{}` is no duration; write 45s or 5min", source, text));
  }
  return value * scale;
}

}  // namespace epwise::cli
