#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/calibrate/choice.h"
#include "commands/simulate/report.h"
#include "perf/cost/table.h"
#include "perf/sim/constants/stated_inputs.h"
#include "perf/sim/work/machine.h"
#include "perf/workload/workload.h"
#include "session/options/arguments.h"
#include "session/workspace.h"
#include "ui/command.h"
#include "ui/console.h"

namespace epwise::cli {

/// The options of commands that predict; `formats` are the values of --format, the first is the
/// default.
std::vector<Option> simulation_options(std::vector<std::string_view> formats);

/// The inputs of configuration and options. Throws os::UsageError for one that this recipe cannot
/// have, unless it lacks facts itself.
std::vector<std::string> input_texts(const Analysis& analysis);

/// One recipe, read, linted and predicted.
struct SimulatedJob {
  report::SimulatedRecipe report;
  std::shared_ptr<const workload::Workload> workload;  // null pointer if there is no prediction
  sim::Machine machine;  // only valid with a prediction; points into the Simulator
  sim::StatedInputs stated;
  sim::Constants constants;  // used by the prediction
};

/// Predicts recipes one after another on the target of the command line.
class Simulator {
 public:
  /// The workspace outlives the simulator.
  Simulator(Console& console, const Arguments& arguments, Workspace& workspace);

  /// `force`: lint's errors are counted, not obeyed. Throws os::UsageError, os::MissingError.
  SimulatedJob run(const std::string& path, bool force);

  /// Every recipe of a file; none where `found`, in a directory, turns out to be something else.
  std::vector<SimulatedJob> run_all(const std::string& path, bool found, bool force);

  /// The same for a recipe that is analyzed already.
  SimulatedJob run(const Analysis& analysis, bool force) const;

  const cost::Table& laws() const { return laws_; }

  /// The constants of the step model, including those of --calibration that apply to `hw`.
  sim::ConstantTable constants(const std::string& hw) const;

  /// Only those of --calibration, and the report's statement about the file before a prediction.
  std::vector<sim::MeasuredConstant> measured(const std::string& hw) const;

  /// What the runs of the calibration say of the step of this recipe, which must be readable and have a
  /// GPU; nothing without one.
  sim::Level level(const Analysis& analysis) const;
  std::optional<sim::CalibrationEffect> calibration(const std::string& hw) const;

 private:
  sim::Prediction predict(SimulatedJob& job) const;

  Console& console_;
  const Arguments& arguments_;
  Workspace& workspace_;
  cost::Table laws_;
  std::optional<CalibrationChoice> calibration_;
};

/// --format trace of `epwise simulate`: the event simulation of the recipes with a prediction; of a
/// long step only the first micro-batches.
std::string trace_text(const std::vector<SimulatedJob>& jobs);

/// --format html of it.
std::string page_text(const std::vector<SimulatedJob>& jobs);

/// A format of a prediction and its destination.
struct FormatSink {
  std::string name;
  std::string path;  // empty: standard output
};

/// --format NAME[=PATH] … → sinks; nothing given: the first of `names` on standard output. Throws
/// os::UsageError for an unknown format, two on standard output, two in one file.
std::vector<FormatSink> format_sinks(const std::vector<Setting>& formats,
                                     const std::vector<std::string_view>& names);

/// Writes one text: standard output, or the file in one go. Throws os::MissingError.
void write_format(const FormatSink& sink, const std::string& text, Console& console);

}  // namespace epwise::cli
