#include "commands/calibrate/actions.h"

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/text/count.h"
#include "calibrate/fits/fits.h"
#include "calibrate/import/import.h"
#include "calibrate/merge.h"
#include "calibrate/quantities.h"
#include "commands/calibrate/choice.h"
#include "commands/calibrate/report.h"
#include "commands/learn/learning.h"
#include "commands/simulate/simulation.h"
#include "hw/profile.h"
#include "perf/cost/compiled_table.h"
#include "ui/report_output.h"
#include "ui/version.h"
#include "yaml/parse.h"
#include "yaml/reader.h"

namespace epwise::cli {

namespace {

using calibrate::Calibration;
using os::UsageError;

void want_files(const Arguments& arguments,
                std::size_t least,
                std::size_t most,
                const char* usage) {
  if (arguments.operands.size() < least || arguments.operands.size() > most) {
    throw UsageError(fmt::format("usage: epwise calibrate {}", usage));
  }
}

/// For points in both, the first wins: counts them, and whether they agree.
std::string disagreement(const Calibration& first,
                         const Calibration& next,
                         const std::string& path) {
  int both = 0;
  int apart = 0;
  for (const calibrate::PointChange& change : calibrate::difference(first, next).points) {
    const bool twice = change.before > 0 && change.after > 0;
    both += twice ? 1 : 0;
    apart += twice && change.notable ? 1 : 0;
  }
  return both == 0 ? std::string()
                   : fmt::format(
                         "{}: {} points existed already and were kept; differing by more than both "
                         "intervals: {}\n",
                         path,
                         both,
                         apart);
}

bool wants_json(const Arguments& arguments) {
  return arguments.text_of("--format", "text") == "json";
}

}  // namespace

ExitCode show_calibration(Console& console, const Arguments& arguments) {
  want_files(arguments, 1, 1, "show FILE");
  const Calibration calibration = load_calibration(console, arguments.operands[0]);
  const cost::Table laws = cost::compiled_table();
  const std::string hw = arguments.text_of("--hw", calibration.hw);
  const auto quantities = calibrate::quantities_of(calibration, laws, hw);
  console.out << (wants_json(arguments) ? report::calibration_json(calibration, quantities, hw)
                                        : report::calibration_text(calibration,
                                                                   quantities,
                                                                   hw,
                                                                   arguments.flag("--points"),
                                                                   style_of(arguments, console)));
  return ExitCode::clean;
}

ExitCode diff_calibrations(Console& console, const Arguments& arguments) {
  want_files(arguments, 2, 2, "diff A B");
  const Calibration before = load_calibration(console, arguments.operands[0]);
  const Calibration after = load_calibration(console, arguments.operands[1]);
  const calibrate::Difference difference = calibrate::difference(before, after);
  console.out << (wants_json(arguments)
                      ? report::difference_json(difference)
                      : report::difference_text(
                            difference, arguments.flag("--points"), style_of(arguments, console)));
  const bool differs = std::any_of(
      difference.points.begin(), difference.points.end(), [](const calibrate::PointChange& change) {
        return change.notable;
      });
  return differs ? ExitCode::findings : ExitCode::clean;
}

ExitCode merge_calibrations(Console& console, const Arguments& arguments) {
  constexpr std::size_t kMostFiles = 1000;
  want_files(arguments, 2, kMostFiles, "merge -o FILE A B...");
  const auto output = arguments.one("--output");
  if (!output) {
    throw UsageError("no output file given: `epwise calibrate merge -o FILE A B...`");
  }
  Calibration merged = load_calibration(console, arguments.operands[0]);
  for (std::size_t i = 1; i < arguments.operands.size(); ++i) {
    const std::string& path = arguments.operands[i];
    const Calibration next = load_calibration(console, path);
    std::string problem;
    auto more = calibrate::merge(merged, next, problem);
    if (!more) {
      throw UsageError(fmt::format("cannot merge {} with the files before it: {}", path, problem));
    }
    console.out << disagreement(merged, next, path);
    merged = std::move(*more);
  }
  console.files.write_atomically(output->value, calibrate::to_yaml(merged));
  console.out << fmt::format(
      "{}: {} points, {} laws\n", output->value, merged.points.size(), merged.fits.size());
  return ExitCode::clean;
}

ExitCode check_calibration(Console& console, const Arguments& arguments) {
  want_files(arguments, 1, 1, "check FILE");
  const auto found = calibrate::weaknesses(load_calibration(console, arguments.operands[0]));
  if (wants_json(arguments)) {
    console.out << report::check_json(arguments.operands[0], found);
  } else {
    for (const std::string& weakness : found) {
      console.out << weakness << '\n';
    }
    console.out << (found.empty() ? std::string("no weak points\n")
                                  : text::counted(found.size(), "weak point") + "\n");
  }
  return found.empty() ? ExitCode::clean : ExitCode::findings;
}

namespace {

using calibrate::Calibration;
using os::UsageError;

/// The file to extend, or a new one.
Calibration open_output(Console& console, const Arguments& arguments, const std::string& path) {
  if (console.files.is_file(path) && !arguments.flag("--fresh")) {
    return load_calibration(console, path);
  }
  Calibration calibration;
  calibration.tool = tool_version();
  calibration.created = time_stamp(console.variables);
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
      throw UsageError(fmt::format("--gpus: `{}` is not a valid number of GPUs", text));
    }
    gpus = gpus * 10 + (sign - '0');
  }
  return gpus;
}

/// steps: [{recipe: a.yaml, hw: h100, gpus: 64, step_time_s: 42.6, inputs: [routing=forced]}]
class StepFile {
 public:
  /// `laws` must outlive the entries.
  StepFile(Console& console, const Arguments& arguments, const cost::Table& laws)
      : console_(console),
        arguments_(arguments),
        laws_(laws) {}

  std::vector<StepEntry> read(const std::string& path) {
    const text::SourceFile file(path, console_.files.read(path));
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
      throw os::MissingError(problems_text(problems_));
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
      in.problem(in.node("step_time_s")->mark, "a step must take longer than 0 s");
    }
    if (!problems_.empty()) {
      return;
    }
    Workspace workspace(console_.host(), given_by(target));
    SimulatedJob job = Simulator(console_, target, workspace).run(recipe, true);
    if (job.workload == nullptr) {
      for (const text::Diagnostic& missing : job.report.missing) {
        in.problem(node.mark, fmt::format("{}: {}", recipe, missing.message), missing.help);
      }
      return;
    }
    job.machine.laws = &laws_;  // those of the simulator accompany it
    entries_.push_back({std::move(job), seconds});
  }

  Console& console_;
  const Arguments& arguments_;
  const cost::Table& laws_;
  std::vector<text::Diagnostic> problems_;
  std::vector<StepEntry> entries_;
};

}  // namespace

ExitCode import_calibration(Console& console, const Arguments& arguments) {
  const auto output = arguments.one("--output");
  if (arguments.operands.empty() || !output) {
    throw UsageError("usage: epwise calibrate import -o FILE [--hw NAME] [--gpus N] FILE...");
  }
  Calibration calibration = open_output(console, arguments, output->value);
  const hw::Profile* const stated = hw::find_profile(arguments.text_of("--hw"));
  name_device(calibration, stated == nullptr ? arguments.text_of("--hw") : stated->name);
  for (const std::string& path : arguments.operands) {
    const text::SourceFile file(path, console.files.read(path));
    std::vector<text::Diagnostic> problems;
    const calibrate::Imported imported =
        calibrate::import_timings(file, {calibration.hw, given_gpus(arguments)}, problems);
    if (!problems.empty()) {
      throw os::MissingError(problems_text(problems));
    }
    name_device(calibration, imported.hw);
    calibrate::add_points(imported.points, calibration);
    calibration.ranks = std::max(calibration.ranks, imported.ranks);
    console.out << fmt::format(
        "{}: {} rows imported, {} skipped\n", path, imported.points.size(), imported.passed_over);
  }
  if (calibration.hw.empty()) {
    throw UsageError("unknown device; pass --hw");
  }
  calibration.fits = calibrate::fit_all(calibration);
  console.files.write_atomically(output->value, calibrate::to_yaml(calibration));
  console.out << fmt::format("{}: {} points, {} laws\n",
                             output->value,
                             calibration.points.size(),
                             calibration.fits.size());
  return ExitCode::clean;
}

ExitCode fit_steps(Console& console, const Arguments& arguments) {
  if (arguments.operands.size() != 1) {
    throw UsageError("usage: epwise calibrate fit-steps measured.yaml [-o FILE]");
  }
  const cost::Table laws = cost::compiled_table();
  const std::vector<StepEntry> entries =
      StepFile(console, arguments, laws).read(arguments.operands.front());
  if (entries.empty()) {
    throw UsageError("it contains no steps");
  }
  learn_steps(console, arguments, entries, arguments.text_of("--output", "calibration.yaml"));
  return ExitCode::clean;
}

}  // namespace epwise::cli
