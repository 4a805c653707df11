#include "cli/calibration/choice.h"

#include <utility>

#include <fmt/core.h>

#include "calibrate/merge.h"
#include "calibrate/quantities.h"
#include "cli/calibration/file.h"
#include "cli/target/this_machine.h"

namespace epwise::cli {

Option calibration_option() {
  return {.name = "--calibration",
          .arity = Option::Arity::one,
          .value = "FILE",
          .summary = "what `epwise calibrate` measured, in the place of assumed constants",
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

sim::CalibrationEffect CalibrationChoice::effect(const Session& session,
                                                 const std::string& hw) const {
  sim::CalibrationEffect effect;
  effect.path = path_;
  effect.device =
      fmt::format("{}, {}",
                  calibration_.hw.empty() ? calibration_.environment.device.name : calibration_.hw,
                  calibration_.created);
  const std::string mismatch = calibrate::device_mismatch(calibration_, hw);
  if (!mismatch.empty()) {
    effect.notes.push_back(fmt::format("{}: only what it says of the host counts", mismatch));
  }
  for (std::string& note : staleness(session, "")) {
    effect.notes.push_back(std::move(note));
  }
  return effect;
}

std::vector<std::string> CalibrationChoice::staleness(const Session& session,
                                                      const std::string& hw) const {
  const ThisMachine here(session);
  const hw::Machine& machine = here.get();
  std::vector<hw::Component> stack = machine.components;
  const std::string driver = session.devices.devices().driver;
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

std::optional<CalibrationChoice> read_calibration_option(const Session& session,
                                                         const Arguments& arguments) {
  const auto path = arguments.one("--calibration");
  if (!path) {
    return std::nullopt;
  }
  return CalibrationChoice(path->value, load_calibration(session, path->value));
}

}  // namespace epwise::cli
