#include "commands/learn/learning.h"

#include <cmath>
#include <ostream>

#include <fmt/core.h>

#include "calibrate/fits/step_fit.h"
#include "commands/calibrate/choice.h"
#include "hw/profile.h"
#include "ui/prediction_text.h"
#include "ui/version.h"

namespace epwise::cli {

namespace {

using calibrate::LearntCause;

void one_kind_of_gpu(const std::vector<StepEntry>& entries) {
  for (const StepEntry& entry : entries) {
    if (entry.job.report.hw != entries.front().job.report.hw) {
      throw os::UsageError(
          fmt::format("{} ran on {}, {} on {}; learn from one kind of GPU at a time",
                      entries.front().job.report.path,
                      entries.front().job.report.hw,
                      entry.job.report.path,
                      entry.job.report.hw));
    }
  }
}

/// "  host      1.00 ± 30 % → 1.42 ± 12 %"
std::string cause_text(const LearntCause& cause, std::size_t steps) {
  constexpr double kPercent = 100;
  std::string text =
      fmt::format("  {:<10}1.00 ± {:.0f} %", cause.name, kPercent * std::expm1(cause.prior_sd));
  if (cause.told) {
    return text + fmt::format(
                      " -> {:.2f} ± {:.0f} %\n", cause.factor, kPercent * std::expm1(cause.log_sd));
  }
  if (!cause.matters) {
    return text + "  no step depends on it\n";
  }
  return text + (steps > 1 ? "  these steps do not tell it from the other causes\n"
                           : "  one step does not tell it from the other causes\n");
}

calibrate::Calibration file_for(Console& console,
                                const Arguments& arguments,
                                const std::string& path,
                                const std::string& hw) {
  if (console.files.is_file(path) && !arguments.flag("--fresh")) {
    calibrate::Calibration known = load_calibration(console, path);
    if (!known.hw.empty() && known.hw != hw) {
      throw os::UsageError(fmt::format("{} is of {}, the steps are of {}", path, known.hw, hw));
    }
    return known;
  }
  calibrate::Calibration calibration;
  calibration.tool = tool_version();
  calibration.created = time_stamp(console.variables);
  calibration.backend = "import";
  calibration.hw = hw;
  const hw::Profile* const profile = hw::find_profile(hw);
  if (profile != nullptr) {
    calibration.environment.device.name = profile->device_name;
    calibration.environment.device.sms = profile->sm_count;
  }
  calibration.host = profile != nullptr && profile->cpu.starts_with("arm") ? "grace" : "x86";
  return calibration;
}

}  // namespace

void learn_steps(Console& console,
                 const Arguments& arguments,
                 const std::vector<StepEntry>& entries,
                 const std::string& path) {
  one_kind_of_gpu(entries);
  std::vector<calibrate::MeasuredStep> steps;
  for (const StepEntry& entry : entries) {
    steps.push_back({entry.job.report.path,
                     entry.job.workload.get(),
                     entry.job.machine,
                     entry.job.stated,
                     entry.seconds});
  }
  const calibrate::StepFit fit = calibrate::fit_step_constants(steps, sim::constants());
  if (!fit.refusal.empty()) {
    throw os::MissingError("nothing is learnt: " + fit.refusal);
  }
  for (const calibrate::StepChange& step : fit.steps) {
    console.out << fmt::format("{}: measured {}, predicted {}, now {}\n",
                               step.name,
                               report::seconds_text(step.measured),
                               report::seconds_text(step.before),
                               report::seconds_text(step.after));
  }
  console.out << "\nfactors of this machine, before and after\n";
  for (const LearntCause& cause : fit.causes) {
    console.out << cause_text(cause, fit.steps.size());
  }
  calibrate::Calibration calibration =
      file_for(console, arguments, path, entries.front().job.report.hw);
  calibration.constants = fit.constants;
  calibration.runs = fit.runs;
  console.files.write_atomically(path, calibrate::to_yaml(calibration));
  console.out << fmt::format(
      "written: {}; pass it to simulate, compare and advise with --calibration\n", path);
}

}  // namespace epwise::cli
