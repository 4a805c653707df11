#include "commands/simulate/simulation.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "base/text/spelling.h"
#include "base/units/quantity.h"
#include "commands/simulate/page.h"
#include "commands/simulate/trace.h"
#include "lint/facts/facts.h"
#include "lint/launch_run.h"
#include "perf/cost/compiled_table.h"
#include "recipe/trainers/trainer_facts.h"
#include "session/target/resolution.h"
#include "ui/findings/lint_report.h"
#include "ui/report_output.h"
#include "ui/single_recipe.h"

namespace epwise::cli {

namespace {

/// A recipe as input of predictions: values after the launch.
workload::WorkloadReading read_workload(const Analysis& analysis) {
  facts::Facts facts = analysis.facts();
  lint::settle(facts, analysis.knowledge());
  return workload::read_workload(facts);
}

/// The peaks of a profile in BF16 and in the format of the recipe.
report::Utilisation peaks_of(const hw::Profile& profile, workload::Precision precision) {
  const auto peak = [&](std::string_view format) {
    const hw::Sourced* found = profile.number(fmt::format("peak_{}", format));
    return found == nullptr ? 0 : found->value.value;
  };
  report::Utilisation peaks;
  peaks.bf16_peak = peak("bf16");
  peaks.precision = workload::to_string(precision);
  if (precision == workload::Precision::bf16) {
    peaks.own_peak = peaks.bf16_peak;
  } else {
    peaks.own_peak = peak(precision == workload::Precision::nvfp4 ? "fp4" : "fp8");
  }
  return peaks;
}

/// "te 2.14.0, torch 2.9.1": the versions that were stated.
std::string versions_of(const recipe::Stack& stack) {
  std::string text;
  for (const auto& [name, component] : stack.components()) {
    if (component.version && !component.follows) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, component.version->text());
    }
  }
  return text;
}

/// Statements of the hardware profile, then of configuration and options.
void state_inputs(const Analysis& analysis, workload::Workload& job, sim::StatedInputs& stated) {
  sim::state_profile(*analysis.target->hw, job, stated);
  for (const Setting& input : analysis.document->inputs) {
    const std::string wrong =
        sim::state(input.value, job, stated, {workload::InputStatus::written, input.source});
    if (!wrong.empty()) {
      throw os::UsageError(fmt::format("{}: {}", input.source, wrong));
    }
  }
}

}  // namespace

std::vector<std::string> input_texts(const Analysis& analysis) {
  workload::WorkloadReading read = read_workload(analysis);
  if (read.problems.empty() && analysis.target->hw != nullptr) {
    sim::StatedInputs stated;
    state_inputs(analysis, read.workload, stated);
  }
  std::vector<std::string> texts;
  for (const Setting& input : analysis.document->inputs) {
    texts.push_back(input.value);
  }
  return texts;
}

std::vector<Option> simulation_options(std::vector<std::string_view> formats) {
  std::vector<Option> options = single_recipe_options();
  for (Option& option : options) {
    if (option.name == "--format") {
      option.summary = "full (default) or json";
      option.words = std::move(formats);
      break;
    }
  }
  options.push_back({.name = "--input",
                     .arity = Option::Arity::many,
                     .value = "NAME=VALUE",
                     .summary = "known facts about the run: host=40us, routing=natural, ..."});
  options.push_back(calibration_option());
  return options;
}

Simulator::Simulator(Console& console, const Arguments& arguments, Workspace& workspace)
    : console_(console),
      arguments_(arguments),
      workspace_(workspace),
      laws_(cost::compiled_table()),
      calibration_(read_calibration_option(console, arguments)) {}

std::vector<sim::MeasuredConstant> Simulator::measured(const std::string& hw) const {
  return calibration_ ? calibration_->measured(laws_, hw) : std::vector<sim::MeasuredConstant>();
}

sim::Level Simulator::level(const Analysis& analysis) const {
  const facts::Target& target = *analysis.target;
  if (!calibration_ || target.hw == nullptr) {
    return {};
  }
  const workload::WorkloadReading read = read_workload(analysis);
  return read.problems.empty() ? calibration_->level(read.workload, target.hw->name) : sim::Level{};
}

sim::ConstantTable Simulator::constants(const std::string& hw) const {
  return sim::with_measured(sim::constants(), measured(hw));
}

std::optional<sim::CalibrationEffect> Simulator::calibration(const std::string& hw) const {
  return calibration_ ? std::optional(calibration_->effect(console_, hw)) : std::nullopt;
}

sim::Prediction Simulator::predict(SimulatedJob& job) const {
  if (!calibration_) {
    return sim::predict(*job.workload, job.machine, sim::constants().values, job.stated);
  }
  sim::CalibrationEffect effect = calibration_->effect(console_, job.report.hw);
  sim::Prediction prediction = sim::predict_measured(
      *job.workload, job.machine, sim::constants(), measured(job.report.hw), job.stated, effect);
  const double host = job.workload->machine.cpu == workload::Cpu::grace ? job.constants.host_arm
                                                                        : job.constants.host_x86;
  sim::settle_inputs(effect.constants, host, job.report.inputs);
  job.report.calibration = std::move(effect);
  return prediction;
}

SimulatedJob Simulator::run(const std::string& path, bool force) {
  return run(analyze_path(path, arguments_, console_, workspace_), force);
}

std::vector<SimulatedJob> Simulator::run_all(const std::string& path, bool found, bool force) {
  const std::vector<Analysis> analyses = analyses_of(path, arguments_, console_, workspace_);
  std::vector<SimulatedJob> jobs;
  if (found && is_not_a_recipe(analyses)) {
    return jobs;
  }
  for (const Analysis& analysis : analyses) {
    check_readable(analysis);
    jobs.push_back(run(analysis, force));
  }
  return jobs;
}

SimulatedJob Simulator::run(const Analysis& analysis, bool force) const {
  const facts::Target& target = *analysis.target;
  SimulatedJob job;
  report::SimulatedRecipe& report = job.report;
  report.path = analysis.recipe->path;
  report.framework = recipe::to_string(analysis.recipe->framework);
  report.target = describe(target, analysis.recipe->framework);
  report.against = report::checked_against(analysis.result, report.target);
  report.target_values = target_values(target, analysis.recipe->framework);
  report.fails = fails(analysis.result, analysis.document->threshold);
  report.hw = target.hw == nullptr ? "" : target.hw->name;
  report.lint_errors = count_reported_errors(analysis.result);
  report.accepted = report::accepted_stop(analysis.result);
  report.takes_steps = recipe::takes_steps(*analysis.recipe);
  if (count_errors(analysis.result) > 0 && !force) {
    return job;
  }
  workload::WorkloadReading read = read_workload(analysis);
  if (!read.problems.empty()) {
    report.missing = std::move(read.problems);
    return job;
  }
  state_inputs(analysis, read.workload, job.stated);
  const sim::ConstantTable& constants = sim::constants();
  sim::MachineReading machine =
      sim::machine_of(*target.hw, read.workload.machine, laws_, constants);
  if (!machine.problem.empty()) {
    text::Diagnostic& problem = report.missing.emplace_back();
    problem.message = std::move(machine.problem);
    problem.help = "choose another profile with --hw";
    return job;
  }
  job.machine = machine.machine;
  sim::note_assumptions(constants.values, job.stated, read.workload);
  sim::prefer_measured(measured(report.hw), read.workload.machine.cpu, job.stated);
  if (calibration_) {
    sim::state_level(calibration_->level(read.workload, report.hw), job.stated);
  }
  report.inputs = read.workload.inputs;
  report.utilisation = peaks_of(*target.hw, read.workload.precision);
  report.stack = versions_of(target.stack);
  job.workload = std::make_shared<const workload::Workload>(std::move(read.workload));
  job.constants = this->constants(report.hw).values;
  sim::Prediction prediction = predict(job);
  if (std::isfinite(prediction.step_time.value) && prediction.step_time.value > 0) {
    report.prediction = std::move(prediction);
  } else {
    text::Diagnostic& problem = report.missing.emplace_back();
    problem.message = "these model, batch and parallel sizes do not yield a step time";
    problem.help = "correct them; `epwise lint` may show which";
  }
  return job;
}

namespace {

/// Chart data of the jobs: only if a format needs it.
struct Drawn {
  std::vector<sim::StepWork> works;  // of the jobs with a prediction
  std::vector<sim::StepRun> runs;
};

Drawn run_steps(const std::vector<SimulatedJob>& jobs, bool whole) {
  constexpr int kMostTasks = 400'000;  // a trace of about 60 MB
  Drawn drawn;
  for (const SimulatedJob& job : jobs) {
    if (job.workload != nullptr && job.report.prediction) {
      drawn.works.push_back(sim::lower(*job.workload, job.machine, job.constants, job.stated));
      drawn.runs.push_back(
          sim::run_events(drawn.works.back(), job.constants, {}, whole ? 0 : kMostTasks));
    }
  }
  return drawn;
}

}  // namespace

std::string trace_text(const std::vector<SimulatedJob>& jobs) {
  const Drawn drawn = run_steps(jobs, false);
  std::vector<report::TracedRecipe> traced;
  for (const SimulatedJob& job : jobs) {
    if (job.workload != nullptr && job.report.prediction) {
      traced.push_back({job.report.path,
                        job.report.target,
                        job.report.prediction->step_time.value,
                        job.workload.get(),
                        &drawn.runs[traced.size()]});
    }
  }
  return report::trace_json(traced);
}

std::string page_text(const std::vector<SimulatedJob>& jobs) {
  const Drawn drawn = run_steps(jobs, true);
  std::vector<report::PageRecipe> pages;
  std::size_t next = 0;
  for (const SimulatedJob& job : jobs) {
    report::PageRecipe& page = pages.emplace_back();
    page.simulated = job.report;
    if (job.workload != nullptr && job.report.prediction) {
      const sim::StepWork& work = drawn.works[next];
      page.layers = sim::steady_layers(work, job.constants);
      page.sweep = sim::sm_sweep(work, job.constants);
      if (job.workload->parallel.expert > 1) {
        page.dispatcher = workload::to_string(job.workload->exchange.dispatcher);
      }
      page.event_step = drawn.runs[next].timeline.seconds;
      ++next;
    }
  }
  return report::simulate_html(pages);
}

std::vector<FormatSink> format_sinks(const std::vector<Setting>& formats,
                                     const std::vector<std::string_view>& names) {
  std::vector<FormatSink> sinks;
  for (const Setting& format : formats) {
    const std::size_t equals = format.value.find('=');
    FormatSink sink{format.value.substr(0, equals), {}};
    if (std::ranges::find(names, sink.name) == names.end()) {
      throw os::UsageError(fmt::format(
          "{}: no format `{}`{}", format.source, sink.name, text::did_you_mean(sink.name, names)));
    }
    if (equals != std::string::npos) {
      sink.path = format.value.substr(equals + 1);
      if (sink.path.empty()) {
        throw os::UsageError(
            fmt::format("{}: `{}` does not name a file", format.source, format.value));
      }
      sink.path = is_standard_output(sink.path) ? "" : sink.path;
    }
    if (sink.path.empty() &&
        std::ranges::find(sinks, sink.path, &FormatSink::path) != sinks.end()) {
      throw os::UsageError(
          fmt::format("{}: two formats cannot both go to standard output; write one of them to a "
                      "file, for example --format html=FILE",
                      format.source));
    }
    sinks.push_back(std::move(sink));
  }
  if (sinks.empty()) {
    sinks.push_back({std::string(names.front()), {}});
  }
  return sinks;
}

void write_format(const FormatSink& sink, const std::string& text, Console& console) {
  if (sink.path.empty()) {
    console.out << text;
  } else {
    console.files.write_atomically(sink.path, text);
  }
}

}  // namespace epwise::cli
