#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/text/ascii.h"
#include "base/units/quantity.h"
#include "calibrate/import/training_log.h"
#include "commands/all.h"
#include "commands/calibrate/choice.h"
#include "commands/learn/dump_recipe.h"
#include "commands/learn/learning.h"
#include "ui/findings/lint_report.h"
#include "ui/prediction_text.h"
#include "ui/single_recipe.h"

namespace epwise::cli {

namespace {

using calibrate::LoggedRun;
using calibrate::TypicalStep;

constexpr std::string_view kAboutLearn = R"(WHAT IS READ
  Logs of Megatron-LM and Megatron-Bridge, and CSV exports of Weights & Biases and TensorBoard with a
  column of iteration times. The arguments or the configuration that a run prints at its head are its
  recipe; for a log without them, or a CSV file, name the RECIPE. A step is the median of the run's
  lines without the first tenth, without lines of another global batch (ramp-up), and without lines
  that are a sixth longer or shorter (checkpoints, evaluation).

WHAT IS LEARNT
  Measured over predicted steps move other predictions by likeness: most for the same recipe; much
  for the same model with the same precision, dispatcher, overlap and CUDA graphs; a little for
  another model on the same machine. Several recipes also tell the times of the host, the exchange
  and GEMMs apart, as far as they depend on them differently.

  Refused: steps more than twice or less than half as long as predicted, runs of one class that
  contradict each other, logs whose batch or TFLOP/s do not fit the recipe, and GPUs of two kinds.

  `simulate --calibration FILE`, `compare` and `advise` use the file.
)";

struct LogFile {
  std::string path;
  std::vector<LoggedRun> runs;  // none: a recipe
};

std::vector<LogFile> read_inputs(Console& console, const Arguments& arguments) {
  std::vector<LogFile> inputs;
  for (const std::string& path : arguments.operands) {
    inputs.push_back({path, calibrate::read_training_log(console.files.read(path))});
  }
  return inputs;
}

/// The recipe among the inputs, "" if there is none.
std::string named_recipe(const std::vector<LogFile>& inputs) {
  std::string found;
  for (const LogFile& input : inputs) {
    if (!input.runs.empty()) {
      continue;
    }
    if (!found.empty()) {
      throw os::UsageError(
          fmt::format("neither {} nor {} is a log of training; at most one recipe is taken",
                      found,
                      input.path));
    }
    found = input.path;
  }
  return found;
}

/// One run of a log with its recipe, predicted.
class RunReader {
 public:
  RunReader(Console& console, const Arguments& arguments, std::string recipe)
      : console_(console),
        arguments_(arguments),
        recipe_(std::move(recipe)) {}

  StepEntry read(const std::string& name, const LoggedRun& run) {
    const TypicalStep step = calibrate::typical_step(run);
    if (step.used == 0) {
      throw os::MissingError(fmt::format("{}: no line remains that tells a typical step", name));
    }
    StepEntry entry{job_of(name, run), step.seconds};
    entry.job.report.path = name;
    check(name, step, entry.job);
    tell(name, step, run, entry.job);
    return entry;
  }

 private:
  SimulatedJob job_of(const std::string& name, const LoggedRun& run) {
    Arguments target = arguments_;
    if (const int gpus = gpus_of_dump(run); gpus > 0 && !target.one("--gpus")) {
      target.add("--gpus", {fmt::format("{}", gpus), name});
    }
    Workspace& workspace =
        workspaces_.emplace_back(std::make_unique<Workspace>(console_.host(), given_by(target)))
            .
            operator*();
    Simulator& simulator =
        simulators_.emplace_back(std::make_unique<Simulator>(console_, target, workspace))
            .
            operator*();
    const std::string dumped = recipe_.empty() ? recipe_of_dump(run, mcore()) : std::string();
    if (recipe_.empty() && dumped.empty()) {
      throw os::UsageError(
          fmt::format("{} begins with neither arguments nor a configuration; name its recipe: "
                      "`epwise learn {} RECIPE`",
                      name,
                      name));
    }
    const Source source =
        recipe_.empty() ? Source{name, dumped, false} : source_of(recipe_, target, console_);
    const Analysis analysis = analyze_one(workspace.open(source));
    check_runs(name, analysis.result);
    SimulatedJob job = simulator.run(analysis, true);
    if (job.workload == nullptr) {
      std::string why;
      for (const text::Diagnostic& missing : job.report.missing) {
        why += fmt::format("{}{}", why.empty() ? "" : "; ", report::missing_text(missing));
      }
      throw os::MissingError(fmt::format("{}: {}", recipe_.empty() ? name : recipe_, why));
    }
    return job;
  }

  /// Throws for a recipe whose layout cannot exist: no run of it has a log. Other errors may be of
  /// what a log or a short recipe leaves out.
  static void check_runs(const std::string& name, const lint::Result& result) {
    const auto refused = std::ranges::find_if(result.findings, [](const lint::Finding& finding) {
      const std::string_view topic = finding.rule->id.substr(0, finding.rule->id.find('/'));
      return finding.severity == lint::Severity::error && !finding.rule->builtin &&
             finding.rule->confidence == lint::Confidence::proven &&
             !finding.rule->places.empty() && text::is_one_of(topic, {"batch", "experts", "shape"});
    });
    if (refused != result.findings.end()) {
      throw os::MissingError(fmt::format(
          "{}: its recipe would not start ({}: {}); the log is of another recipe, or of "
          "another release (--stack)",
          name,
          refused->rule->code,
          refused->message));
    }
  }

  std::string mcore() const {
    for (const Setting& part : arguments_.all("--stack")) {
      constexpr std::string_view kCore = "mcore=";
      if (part.value.starts_with(kCore)) {
        return part.value.substr(kCore.size());
      }
    }
    return {};
  }

  /// Whether the log's own figures are those of the recipe.
  static void check(const std::string& name, const TypicalStep& step, const SimulatedJob& job) {
    constexpr double kOther = 0.15;  // conventions of counting FLOPs differ by less
    const int batch = job.workload->batch.global;
    if (step.batch > 0 && step.batch != batch) {
      throw os::MissingError(
          fmt::format("{}: its global batch is {}, the recipe's {}", name, step.batch, batch));
    }
    if (step.tflops > 0) {
      const sim::Prediction& predicted = *job.report.prediction;
      const double rate = predicted.flops_per_second.value * predicted.step_time.value /
                          step.seconds / units::kTera;
      if (std::abs(std::log(rate / step.tflops)) > kOther) {
        throw os::MissingError(
            fmt::format("{}: it prints {:.0f} TFLOP/s a GPU, this recipe on {} GPUs has {:.0f} in "
                        "{}; recipe, GPUs and log do not belong together",
                        name,
                        step.tflops,
                        job.workload->parallel.gpus,
                        rate,
                        report::seconds_text(step.seconds)));
      }
    }
  }

  void tell(const std::string& name,
            const TypicalStep& step,
            const LoggedRun& run,
            const SimulatedJob& job) {
    console_.out << fmt::format("{}: {} of {} lines, {} ± {:.1f} %",
                                name,
                                step.used,
                                run.steps.size(),
                                report::seconds_text(step.seconds),
                                100 * step.spread);
    console_.out << fmt::format(
        "; left out: {} at the start, {} slow or fast, {} of another batch\n",
        step.warm_up,
        step.slow,
        step.ramp);
    if (step.used == 1) {
      console_.err << fmt::format(
          "epwise: {}: one step: how much steps vary on this cluster is unknown; a log of ten "
          "steps "
          "or more tells it\n",
          name);
    }
    if (run.allocated > 0) {
      console_.out << fmt::format("  allocated {:.1f} GiB, predicted {:.1f} GiB\n",
                                  run.allocated / units::kGiB,
                                  job.report.prediction->peak_memory.value / units::kGiB);
    }
  }

  Console& console_;
  const Arguments& arguments_;
  std::string recipe_;
  std::vector<std::unique_ptr<Workspace>> workspaces_;
  std::vector<std::unique_ptr<Simulator>> simulators_;  // own the laws of their jobs
};

ExitCode run_learn(Console& console, const Arguments& arguments) {
  const auto output = arguments.one("--output");
  if (arguments.operands.empty() || !output) {
    throw os::UsageError("usage: epwise learn LOG... [RECIPE] -o FILE");
  }
  const std::vector<LogFile> inputs = read_inputs(console, arguments);
  const std::string recipe = named_recipe(inputs);
  RunReader reader(console, arguments, recipe);
  std::vector<StepEntry> entries;
  for (const LogFile& input : inputs) {
    for (std::size_t i = 0; i < input.runs.size(); ++i) {
      const std::string name =
          input.runs.size() == 1 ? input.path : fmt::format("{}, run {}", input.path, i + 1);
      entries.push_back(reader.read(name, input.runs[i]));
    }
  }
  if (entries.empty()) {
    throw os::UsageError(fmt::format(
        "{} holds no lines of iterations; `epwise help learn` says what is read", recipe));
  }
  console.out << '\n';
  learn_steps(console, arguments, entries, output->value);
  return ExitCode::clean;
}

std::vector<Option> learn_options() {
  std::vector<Option> all = {{.name = "--output",
                              .short_name = "-o",
                              .arity = Option::Arity::one,
                              .value = "FILE",
                              .summary = "output file",
                              .completion = Completion::files,
                              .brief = true,
                              .writes = Option::Writes::value},
                             {.name = "--fresh", .summary = "ignore what the output file holds"}};
  for (Option& option : simulation_options({"text"})) {
    if (option.name != "--calibration" && option.name != "--format") {
      all.push_back(std::move(option));
    }
  }
  return all;
}

}  // namespace

Command learn_command() {
  return {.name = "learn",
          .usage = "learn [OPTION...] LOG... [RECIPE] -o FILE",
          .summary = "learn from logs of training how long steps take on this cluster",
          .examples = {{"learn train.log --hw h100 -o mine.yaml", "the log begins with its recipe"},
                       {"learn wandb.csv recipe.yaml --hw gb200 --gpus 256 -o mine.yaml",
                        "exported iteration times"},
                       {"simulate recipe.yaml --hw h100 --gpus 64 --calibration mine.yaml",
                        "predict with it"}},
          .options = learn_options(),
          .exits = {{ExitCode::clean, "learnt and written"}},
          .about = kAboutLearn,
          .operands = Completion::files,
          .run = run_learn};
}

}  // namespace epwise::cli
