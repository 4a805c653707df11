#include "commands/calibrate/choice.h"

#include <charconv>
#include <chrono>
#include <ctime>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/core.h>

#include "base/text/source_file.h"
#include "calibrate/merge.h"
#include "calibrate/quantities.h"
#include "session/target/resolution.h"

namespace epwise::cli {

calibrate::Calibration load_calibration(const Console& console,
                                        const std::string& path,
                                        std::string_view way_out) {
  const text::SourceFile file(path, console.files.read(path));
  std::vector<text::Diagnostic> problems;
  auto calibration = calibrate::read_calibration(file, problems);
  if (!calibration) {
    throw os::MissingError(problems_text(problems) + std::string(way_out));
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

std::string time_stamp(const os::Variables& variables) {
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
    throw os::UsageError(
        fmt::format("{}: `{}` is not a duration; write 45s or 5min", source, text));
  }
  return value * scale;
}

Option calibration_option() {
  return {.name = "--calibration",
          .arity = Option::Arity::one,
          .value = "FILE",
          .summary = "measurements of `epwise calibrate`, to replace assumed constants",
          .variable = "EPWISE_CALIBRATION",
          .completion = Completion::files};
}

std::vector<sim::MeasuredConstant> CalibrationChoice::measured(const cost::Table& laws,
                                                               std::string_view hw) const {
  std::vector<sim::MeasuredConstant> constants;
  for (const calibrate::Quantity& quantity : calibrate::quantities_of(calibration_, laws, hw)) {
    if (quantity.measured) {
      constants.push_back({quantity.constant, quantity.value, quantity.log_sd, quantity.basis});
    }
  }
  return constants;
}

sim::Level CalibrationChoice::level(const workload::Workload& job, std::string_view hw) const {
  if (calibration_.runs.empty() || calibration_.hw != hw) {
    return {};
  }
  std::vector<sim::LearntRun> runs;
  for (const calibrate::StepRun& run : calibration_.runs) {
    runs.push_back(run.learnt);
  }
  return sim::level_of(runs, sim::traits_of(job));
}

sim::CalibrationEffect CalibrationChoice::effect(const Console& console,
                                                 const std::string& hw) const {
  sim::CalibrationEffect effect;
  effect.path = path_;
  effect.device =
      fmt::format("{}, {}",
                  calibration_.hw.empty() ? calibration_.environment.device.name : calibration_.hw,
                  calibration_.created);
  const std::string mismatch = calibrate::device_mismatch(calibration_, hw);
  if (!mismatch.empty()) {
    effect.notes.push_back(fmt::format("{}: only its host measurements are used", mismatch));
  }
  for (std::string& note : staleness(console, "")) {
    effect.notes.push_back(std::move(note));
  }
  return effect;
}

std::vector<std::string> CalibrationChoice::staleness(const Console& console,
                                                      const std::string& hw) const {
  const ThisMachine here(console.host());
  const hw::Machine& machine = here.get();
  std::vector<hw::Component> stack = machine.components;
  const std::string driver = console.devices.devices().driver;
  if (!driver.empty()) {
    stack.push_back({"driver", driver, "driver"});
  }
  std::vector<std::string> notes =
      calibrate::staleness(calibration_, hw, stack, machine.job_gpus.value_or(0));
  if (machine.profile != nullptr && hw.empty() && !calibration_.hw.empty() &&
      machine.profile->name != calibration_.hw) {
    notes.push_back(fmt::format(
        "it was measured on {}, this machine has {}", calibration_.hw, machine.profile->name));
  }
  return notes;
}

std::optional<CalibrationChoice> read_calibration_option(const Console& console,
                                                         const Arguments& arguments) {
  const auto path = arguments.one("--calibration");
  if (!path) {
    return std::nullopt;
  }
  return CalibrationChoice(path->value, load_calibration(console, path->value));
}

}  // namespace epwise::cli
