#include <algorithm>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "commands/all.h"
#include "commands/simulate/inputs.h"
#include "commands/simulate/simulation.h"
#include "ui/report_output.h"

namespace epwise::cli {

namespace {

constexpr std::string_view kAboutSimulate = R"(WHAT IS PREDICTED
  The time of one training step with an 80 % interval, tokens and model FLOP per second per GPU, and
  a breakdown of the step: compute alone first, then what each cause adds; the terms sum to the
  step. The prediction uses the values that the framework's launch produces from the recipe. Times
  come from cost laws fitted to published kernel and collective timings (`hwprofiles/costlaws`) and
  from the constants of the step model (`hwprofiles/stepmodel`).

  Values given neither by the recipe nor by the profile are assumed and listed. Facts that cannot be
  assumed (hardware, number of GPUs, batch sizes, model sizes) must be given.

CHARTS
  --format html=PATH writes one self-contained page, without network access or scripts: the terms of
  the step, a layer on its streams, step time against the dispatcher's SMs, memory per stage.
  --format trace=PATH writes every node of every stage and micro-batch of the event simulation for
  Perfetto (ui.perfetto.dev) or chrome://tracing, with arrows from sends to receivers and a counter of
  chunks in flight; of a long step only the first and last micro-batches, so that it stays below 10 MB.

INPUTS
  --input states facts that are otherwise assumed; known facts narrow the interval.
  routing=forced|natural, imbalance=1.2 (most loaded rank over mean), host=40us (one framework
  operation), cpu=x86|grace, cpu_binding=none|numactl|bindpcie|cores, nic_rate=400Gbit/s,
  nvlink_domain=72, attention_path=fused|unfused (learnable softmax), fp8_attention=on|off,
  fused_experts=on|off, tensor_overlap=on|off (collectives overlapped with their GEMMs),
  optimizer_states=12B (weights and moments per parameter), gradients=4B,
  pipeline_layout=Et*12|t*12L, image_tokens=1024 (of a sequence, in a vision-language model). An old
  stack excludes fused attention (cudnn) and fused experts (te).
  A hardware profile may state any of them under `inputs`. `inputs: {host: 52us}` in .epwise.yaml
  applies to every recipe, in an entry of `targets` to those that match; --input takes precedence
  over both. The report lists the source of each input, or that it is assumed.
)";

const std::vector<std::string_view>& format_names() {
  static const std::vector<std::string_view> names = {"full", "json", "csv", "trace", "html"};
  return names;
}

std::string text_of(const std::string& format,
                    const std::vector<SimulatedJob>& jobs,
                    const std::vector<session::NewerRelease>& newer,
                    const report::Style& style) {
  if (format == "trace") {
    return trace_text(jobs);
  }
  if (format == "html") {
    return page_text(jobs);
  }
  std::vector<report::SimulatedRecipe> recipes;
  for (const SimulatedJob& job : jobs) {
    recipes.push_back(job.report);
  }
  if (format == "json") {
    return report::simulate_json(recipes, newer);
  }
  return format == "csv" ? report::simulate_csv(recipes) : report::simulate_text(recipes, style);
}

/// Predicts one input after another: one that cannot be read does not keep the others from it.
class Jobs {
 public:
  Jobs(Console& console, Simulator& simulator, bool force)
      : console_(console),
        simulator_(simulator),
        force_(force) {}

  /// Throws what goes wrong with an input that is `alone`.
  void add(const PredictedInput& input, bool alone) {
    if (alone) {
      predict(input);
    } else {
      const ExitCode failed = attempt(console_.err, [&] { predict(input); });
      code_ = worst(code_, failed);
    }
  }

  const std::vector<SimulatedJob>& jobs() const { return jobs_; }

  /// Also says it if there was no recipe at all.
  ExitCode code() const {
    const bool steps =
        std::ranges::any_of(jobs_, [](const SimulatedJob& job) { return job.report.takes_steps; });
    if (!jobs_.empty() && !steps) {
      return worst(code_, ExitCode::findings);  // nothing was predicted
    }
    if (!jobs_.empty() || code_ != ExitCode::clean) {
      return code_;
    }
    console_.err << fmt::format("epwise: none of {} files is a recipe\n", others_);
    return ExitCode::nothing_checked;
  }

 private:
  void predict(const PredictedInput& input) {
    std::vector<SimulatedJob> jobs = simulator_.run_all(input.path, !input.named, force_);
    others_ += jobs.empty() ? 1 : 0;
    for (SimulatedJob& job : jobs) {
      const bool missing = !job.report.prediction && job.report.takes_steps;
      if (missing || (job.report.fails && !force_)) {
        code_ = worst(code_, ExitCode::findings);
      }
      jobs_.push_back(std::move(job));
    }
  }

  Console& console_;
  Simulator& simulator_;
  bool force_;
  std::vector<SimulatedJob> jobs_;
  int others_ = 0;
  ExitCode code_ = ExitCode::clean;
};

/// A picture of nothing does not say why it is empty.
void tell_missing(const std::vector<SimulatedJob>& jobs, Console& console) {
  for (const SimulatedJob& job : jobs) {
    if (!job.report.prediction) {
      console.err << fmt::format("epwise: {}: not simulated; the text report (-f full) says why\n",
                                 job.report.path);
    }
  }
}

ExitCode run_simulate(Console& console, const Arguments& arguments) {
  std::vector<PredictedInput> inputs = predicted_inputs(console.files, arguments.operands);
  if (arguments.operands.empty() && !arguments.words.empty()) {
    inputs.push_back({""});  // the words are the recipe
  }
  if (arguments.operands.empty() && arguments.words.empty()) {
    throw os::UsageError("no recipe given: `epwise simulate recipe.yaml --hw h100 --gpus 64`");
  }
  const std::vector<FormatSink> sinks = format_sinks(arguments.all("--format"), format_names());
  Workspace workspace(console.host(), given_by(arguments));
  Simulator simulator(console, arguments, workspace);
  Jobs all(console, simulator, arguments.flag("--force"));
  for (const PredictedInput& input : inputs) {
    all.add(input, inputs.size() == 1);
  }
  const ExitCode code = all.code();
  const std::vector<SimulatedJob>& jobs = all.jobs();
  if (jobs.empty()) {
    return code;
  }
  for (const FormatSink& sink : sinks) {
    report::Style style;
    if (sink.path.empty()) {
      style = style_of(arguments, console);
    }
    write_format(sink, text_of(sink.name, jobs, console.newer_releases(), style), console);
    if (sink.name == "trace" || sink.name == "html") {
      tell_missing(jobs, console);
    }
  }
  return code;
}

}  // namespace

Command simulate_command() {
  std::vector<Option> options = simulation_options(format_names());
  for (Option& option : options) {
    if (option.name == "--format") {
      option.arity = Option::Arity::many;
      option.value = "NAME[=PATH]";
      option.summary = "full (default), json, csv, trace (Perfetto) or html; repeatable";
      option.words.clear();
      option.completion = Completion::nothing;
      option.writes = Option::Writes::after_equals;
    }
  }
  options.push_back({.name = "--force",
                     .summary = "simulate a recipe even if lint finds errors in it",
                     .brief = true});
  return {
      .name = "simulate",
      .usage = "simulate [OPTION...] FILE... [-- WORD...]",
      .summary = "predict the step time of a recipe, with a breakdown",
      .examples = {{"simulate recipe.yaml --hw h100 --gpus 64", "one recipe"},
                   {"simulate a.yaml b.yaml --hw gb200 --gpus 256 -f csv", "a table of several"},
                   {"simulate recipes/ --hw h100 --gpus 64 -f csv",
                    "every recipe in a directory; one that cannot be read does not stop it"},
                   {"simulate recipe.yaml --hw h100 --gpus 64 -f json", "machine-readable output"},
                   {"simulate recipe.yaml --hw h100 --gpus 64 -f full -f html=step.html -f "
                    "trace=step.json",
                    "with an HTML page and a trace for Perfetto"}},
      .options = std::move(options),
      .exits = {{ExitCode::clean, "every recipe that takes training steps was simulated"},
                {ExitCode::findings,
                 "lint finds errors in one and --force is not given, or facts are missing"},
                {ExitCode::nothing_checked,
                 "nothing simulated: the directories contain no recipe"}},
      .about = kAboutSimulate,
      .operands = Completion::files,
      .takes_words = true,
      .run = run_simulate};
}

}  // namespace epwise::cli
