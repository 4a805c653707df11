#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "calibrate/fits/fits.h"
#include "calibrate/fits/step_fit.h"
#include "calibrate/import/import.h"
#include "cli/calibration/file.h"
#include "cli/commands/calibration_actions.h"
#include "cli/simulate/simulation.h"
#include "cli/version.h"
#include "cost/compiled_table.h"
#include "hw/profile.h"
#include "report/duration_text.h"
#include "yaml/parse.h"
#include "yaml/reader.h"

namespace epwise::cli {

namespace {

using calibrate::Calibration;
using world::UsageError;

/// The file that is added to, or a new one.
Calibration open_output(Session& session, const Arguments& arguments, const std::string& path) {
  if (session.files.is_file(path) && !arguments.flag("--fresh")) {
    return load_calibration(session, path);
  }
  Calibration calibration;
  calibration.tool = tool_version();
  calibration.created = time_stamp(session.variables);
  calibration.backend = "import";
  calibration.host = "x86";
  return calibration;
}

void name_device(Calibration& calibration, const std::string& hw) {
  if (calibration.hw.empty()) {
    calibration.hw = hw;
  }
  const hw::Profile* const profile = hw::find_profile(calibration.hw);
  if (profile != nullptr && calibration.environment.device.name.empty()) {
    calibration.environment.device.name = profile->device_name;
    calibration.environment.device.sms = profile->sm_count;
    calibration.host = profile->cpu.starts_with("arm") ? "grace" : "x86";
  }
}

int given_gpus(const Arguments& arguments) {
  const std::string text = arguments.text_of("--gpus");
  constexpr int kMost = 1'000'000;
  int gpus = 0;
  for (const char sign : text) {
    if (sign < '0' || sign > '9' || gpus > kMost) {
      throw UsageError(fmt::format("--gpus: `{}` is no number of GPUs", text));
    }
    gpus = gpus * 10 + (sign - '0');
  }
  return gpus;
}

/// One step of a file of measured steps, priced.
struct StepEntry {
  SimulatedJob job;
  double seconds = 0;
};

/// steps: [{recipe: a.yaml, hw: h100, gpus: 64, step_time_s: 42.6, inputs: [routing=forced]}]
class StepFile {
 public:
  /// `laws` outlives the entries.
  StepFile(Session& session, const Arguments& arguments, const cost::Table& laws)
      : session_(session),
        arguments_(arguments),
        laws_(laws) {}

  std::vector<StepEntry> read(const std::string& path) {
    const text::SourceFile file(path, session_.files.read(path));
    const yaml::Stream stream = yaml::parse(file);
    problems_ = stream.diagnostics;
    if (stream.readable && !stream.documents.empty()) {
      yaml::MapReader in(stream.documents.front().root, "measured steps", problems_);
      in.node("schema");
      in.required("steps");
      if (const yaml::Node* steps = in.sequence("steps")) {
        for (const yaml::Node& step : steps->items) {
          read_step(step, path);
        }
      }
      in.finish();
    }
    if (!problems_.empty()) {
      throw world::MissingError(problems_text(problems_));
    }
    return std::move(entries_);
  }

 private:
  void read_step(const yaml::Node& node, const std::string& path) {
    yaml::MapReader in(node, "step", problems_);
    const std::string recipe = in.required_text("recipe");
    in.required("step_time_s");
    const double seconds = in.number("step_time_s").value_or(0);
    Arguments target = arguments_;
    for (const char* key : {"hw", "gpus", "stack"}) {
      if (const auto value = in.text(key)) {
        target.add(fmt::format("--{}", key), {*value, path});
      }
    }
    for (const std::string& input : in.texts("inputs")) {
      target.add("--input", {input, path});
    }
    in.finish();
    if (!(seconds > 0) && in.node("step_time_s") != nullptr) {
      in.problem(in.node("step_time_s")->mark, "a step takes longer than 0 s");
    }
    if (!problems_.empty()) {
      return;
    }
    SimulatedJob job = Simulator(session_, target).run(recipe, true);
    if (job.workload == nullptr) {
      for (const text::Diagnostic& missing : job.report.missing) {
        in.problem(node.mark, fmt::format("{}: {}", recipe, missing.message), missing.help);
      }
      return;
    }
    job.machine.laws = &laws_;  // the simulator's own go with it
    entries_.push_back({std::move(job), seconds});
  }

  Session& session_;
  const Arguments& arguments_;
  const cost::Table& laws_;
  std::vector<text::Diagnostic> problems_;
  std::vector<StepEntry> entries_;
};

}  // namespace

ExitCode import_calibration(Session& session, const Arguments& arguments) {
  const auto output = arguments.one("--output");
  if (arguments.operands.empty() || !output) {
    throw UsageError("usage: epwise calibrate import -o FILE [--hw NAME] [--gpus N] FILE...");
  }
  Calibration calibration = open_output(session, arguments, output->value);
  const hw::Profile* const stated = hw::find_profile(arguments.text_of("--hw"));
  name_device(calibration, stated == nullptr ? arguments.text_of("--hw") : stated->name);
  for (const std::string& path : arguments.operands) {
    const text::SourceFile file(path, session.files.read(path));
    std::vector<text::Diagnostic> problems;
    const calibrate::Imported imported =
        calibrate::import_timings(file, {calibration.hw, given_gpus(arguments)}, problems);
    if (!problems.empty()) {
      throw world::MissingError(problems_text(problems));
    }
    name_device(calibration, imported.hw);
    calibrate::add_points(imported.points, calibration);
    calibration.ranks = std::max(calibration.ranks, imported.ranks);
    session.out << fmt::format(
        "{}: {} rows taken, {} passed over\n", path, imported.points.size(), imported.passed_over);
  }
  if (calibration.hw.empty()) {
    throw UsageError("of which device? say it with --hw");
  }
  calibration.fits = calibrate::fit_all(calibration);
  session.files.write_atomically(output->value, calibrate::to_yaml(calibration));
  session.out << fmt::format("{}: {} points, {} laws\n",
                             output->value,
                             calibration.points.size(),
                             calibration.fits.size());
  return ExitCode::clean;
}

ExitCode fit_steps(Session& session, const Arguments& arguments) {
  if (arguments.operands.size() != 1) {
    throw UsageError("usage: epwise calibrate fit-steps measured.yaml [-o FILE]");
  }
  const cost::Table laws = cost::compiled_table();
  const std::vector<StepEntry> entries =
      StepFile(session, arguments, laws).read(arguments.operands.front());
  if (entries.empty()) {
    throw UsageError("there is no step in it");
  }
  std::vector<calibrate::MeasuredStep> steps;
  for (const StepEntry& entry : entries) {
    steps.push_back({entry.job.report.path,
                     entry.job.workload.get(),
                     entry.job.machine,
                     entry.job.stated,
                     entry.seconds});
  }
  const calibrate::StepFit fit = calibrate::fit_step_constants(steps, sim::constants());
  for (const calibrate::StepChange& step : fit.steps) {
    session.out << fmt::format("{}: measured {}, predicted {}, now {}\n",
                               step.name,
                               report::seconds_text(step.measured),
                               report::seconds_text(step.before),
                               report::seconds_text(step.after));
  }
  for (const calibrate::StepConstant& constant : fit.constants) {
    session.out << fmt::format(
        "  {:<18}{:.4g} ± {:.0f} %\n", constant.name, constant.value, 100 * constant.log_sd);
  }
  const std::string path = arguments.text_of("--output", "calibration.yaml");
  Calibration calibration = open_output(session, arguments, path);
  name_device(calibration, entries.front().job.report.hw);
  calibration.constants = fit.constants;
  session.files.write_atomically(path, calibrate::to_yaml(calibration));
  session.out << fmt::format("written: {}\n", path);
  return ExitCode::clean;
}

}  // namespace epwise::cli
