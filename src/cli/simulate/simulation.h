#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/calibration/choice.h"
#include "cli/command.h"
#include "cli/session.h"
#include "cost/table.h"
#include "model/workload.h"
#include "report/simulate/writer.h"
#include "sim/constants/stated_inputs.h"
#include "sim/work/machine.h"

namespace epwise::cli {

/// The options of commands that predict; `formats` are the values of --format, the first its
/// default.
std::vector<Option> simulation_options(std::vector<std::string_view> formats);

/// One recipe, read, linted and predicted.
struct SimulatedJob {
  report::SimulatedRecipe report;
  std::shared_ptr<const model::Workload> workload;  // null pointer without a prediction
  sim::Machine machine;  // meaningful only with one; points into the Simulator
  sim::StatedInputs stated;
  sim::Constants constants;  // that the prediction used
};

/// Predicts one recipe after another on the target of the command line.
class Simulator {
 public:
  Simulator(Session& session, const Arguments& arguments);

  /// `force`: lint's errors are counted, not obeyed. Throws world::UsageError, world::MissingError.
  SimulatedJob run(const std::string& path, bool force);

  /// The constants of the step model, those of --calibration among them as far as it speaks for
  /// `hw`.
  sim::ConstantTable constants(const std::string& hw) const;

  /// Those of --calibration alone, and what a report says of the file before anything is predicted.
  std::vector<sim::MeasuredConstant> measured(const std::string& hw) const;
  std::optional<sim::CalibrationEffect> calibration(const std::string& hw) const;

 private:
  sim::Prediction predict(SimulatedJob& job) const;

  Session& session_;
  const Arguments& arguments_;
  cost::Table laws_;
  std::optional<CalibrationChoice> calibration_;
};

}  // namespace epwise::cli
