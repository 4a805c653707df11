#include "cli/simulate/simulation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "cli/lint/linting.h"
#include "cli/target/options.h"
#include "cli/target/recipe_on_target.h"
#include "cost/compiled_table.h"
#include "lint/engine.h"
#include "lint/settled_facts.h"
#include "model/facts.h"
#include "units/quantity.h"

namespace epwise::cli {

namespace {

/// A recipe as predictions see it: what the launch makes of its values.
model::WorkloadReading read_workload(const RecipeOnTarget::Reading& reading,
                                     const RecipeOnTarget& recipe) {
  const recipe::Vocabulary& vocabulary = reading.recipe->vocabulary_or(*reading.vocabulary);
  const lint::Knowledge& knowledge = recipe.knowledge();
  model::Facts facts(
      *reading.recipe, vocabulary, recipe.target(), knowledge.names, knowledge.derived);
  lint::settle(facts, knowledge);
  return model::read_workload(facts);
}

/// What the hardware profile knows, then what configuration and options say.
void state_inputs(const RecipeOnTarget& recipe, model::Workload& job, sim::StatedInputs& stated) {
  sim::state_profile(*recipe.target().hw, job, stated);
  for (const Setting& input : recipe.inputs()) {
    const std::string wrong =
        sim::state(input.value, job, stated, {model::InputStatus::written, input.source});
    if (!wrong.empty()) {
      throw world::UsageError(fmt::format("{}: {}", input.source, wrong));
    }
  }
}

int count_errors(const RecipeOnTarget::Reading& reading, const RecipeOnTarget& recipe) {
  const lint::Result result = lint::lint(*reading.recipe,
                                         *reading.vocabulary,
                                         recipe.target(),
                                         recipe.knowledge(),
                                         recipe.selection());
  return static_cast<int>(
      std::ranges::count(result.findings, lint::Severity::error, &lint::Finding::severity));
}

}  // namespace

std::vector<Option> simulation_options(std::vector<std::string_view> formats) {
  std::vector<Option> options = single_recipe_options();
  for (Option& option : options) {
    if (option.name == "--format") {
      option.summary = "full (default) or json";
      option.words = std::move(formats);
    }
  }
  options.push_back({.name = "--input",
                     .arity = Option::Arity::many,
                     .value = "NAME=VALUE",
                     .summary = "what you know of the run: host=40us, routing=natural, ..."});
  options.push_back(calibration_option());
  return options;
}

Simulator::Simulator(Session& session, const Arguments& arguments)
    : session_(session),
      arguments_(arguments),
      laws_(cost::compiled_table()),
      calibration_(read_calibration_option(session, arguments)) {}

std::vector<sim::MeasuredConstant> Simulator::measured(const std::string& hw) const {
  return calibration_ ? calibration_->measured(laws_, hw) : std::vector<sim::MeasuredConstant>();
}

sim::ConstantTable Simulator::constants(const std::string& hw) const {
  return sim::with_measured(sim::constants(), measured(hw));
}

std::optional<sim::CalibrationEffect> Simulator::calibration(const std::string& hw) const {
  return calibration_ ? std::optional(calibration_->effect(session_, hw)) : std::nullopt;
}

sim::Prediction Simulator::predict(SimulatedJob& job) const {
  if (!calibration_) {
    return sim::predict(*job.workload, job.machine, sim::constants().values, job.stated);
  }
  sim::CalibrationEffect effect = calibration_->effect(session_, job.report.hw);
  sim::Prediction prediction = sim::predict_measured(
      *job.workload, job.machine, sim::constants(), measured(job.report.hw), job.stated, effect);
  const double host = job.workload->machine.cpu == model::Cpu::grace ? job.constants.host_arm
                                                                     : job.constants.host_x86;
  sim::settle_inputs(effect.constants, host, job.report.inputs);
  job.report.calibration = std::move(effect);
  return prediction;
}

SimulatedJob Simulator::run(const std::string& path, bool force) {
  RecipeOnTarget recipe(session_, arguments_, path, target_settings(arguments_));
  const RecipeOnTarget::Reading reading = recipe.read();
  SimulatedJob job;
  report::SimulatedRecipe& report = job.report;
  report.path = reading.recipe->path;
  report.framework = recipe::to_string(reading.recipe->framework);
  report.target = describe(recipe.target(), reading.recipe->framework);
  report.hw = recipe.target().hw == nullptr ? "" : recipe.target().hw->name;
  report.lint_errors = count_errors(reading, recipe);
  if (report.lint_errors > 0 && !force) {
    return job;
  }
  model::WorkloadReading read = read_workload(reading, recipe);
  if (!read.problems.empty()) {
    report.missing = std::move(read.problems);
    return job;
  }
  state_inputs(recipe, read.workload, job.stated);
  const sim::ConstantTable& constants = sim::constants();
  sim::MachineReading machine =
      sim::machine_of(*recipe.target().hw, read.workload.machine, laws_, constants);
  if (!machine.problem.empty()) {
    text::Diagnostic& problem = report.missing.emplace_back();
    problem.message = std::move(machine.problem);
    problem.help = "choose another --hw";
    return job;
  }
  job.machine = machine.machine;
  sim::note_assumptions(constants.values, job.stated, read.workload);
  sim::prefer_measured(measured(report.hw), read.workload.machine.cpu, job.stated);
  report.inputs = read.workload.inputs;
  job.workload = std::make_shared<const model::Workload>(std::move(read.workload));
  job.constants = this->constants(report.hw).values;
  sim::Prediction prediction = predict(job);
  if (std::isfinite(prediction.step_time.value) && prediction.step_time.value > 0) {
    report.prediction = std::move(prediction);
  } else {
    text::Diagnostic& problem = report.missing.emplace_back();
    problem.message = "these sizes of model, batch and parallelism give no step time";
    problem.help = "correct them; `epwise lint` may say which";
  }
  return job;
}

}  // namespace epwise::cli
