#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands/all.h"
#include "cli/report_output.h"
#include "cli/simulate/simulation.h"
#include "cli/simulate/simulation_output.h"
#include "report/page/writer.h"
#include "report/simulate/trace_writer.h"

namespace epwise::cli {

namespace {

constexpr std::string_view kAbout = R"(WHAT IS PREDICTED
  The time of one training step with an interval that holds the truth with 80 %, tokens and model
  FLOP per second of one GPU, and where the time goes: bare compute first, then what each cause adds
  to it; the terms sum to the step. The recipe counts as the framework's launch leaves it. Times come
  from cost laws fitted to published kernel and collective timings (`hwprofiles/costlaws`) and from
  the constants of the step model (`hwprofiles/stepmodel`).

  What neither the recipe nor the profile says is assumed and listed. A fact that can't be assumed
  (hardware, number of GPUs, batch sizes, sizes of the model) is asked for instead.

PICTURES
  --format html=PATH writes one page without network or scripts: the terms of the step, a layer on
  its streams, the step over the SMs of the dispatcher, memory of each stage. --format trace=PATH
  writes every node of every stage and micro-batch for Perfetto (ui.perfetto.dev) or
  chrome://tracing, from the event simulation; of a long step its first micro-batches.

INPUTS
  --input states what the lists of assumptions name; an interval shrinks with what is known.
  routing=forced|natural, imbalance=1.2 (hottest rank over mean), host=40us (one framework
  operation), cpu=x86|grace, nic_rate=400Gbit/s, nvlink_domain=72, attention_path=fused|unfused
  (learnable softmax), fp8_attention=on|off, fused_experts=on|off, tensor_overlap=on|off
  (collectives beside their GEMMs), optimizer_states=12B (weights and moments of a parameter),
  gradients=4B, pipeline_layout=Et*12|t*12L. The stack decides attention_path (cudnn) and
  fused_experts (te) where it is told; a hardware profile may state any of them under `inputs`.
  `inputs: {host: 52us}` in .epwise.yaml says them for every recipe, in an entry of `targets` for
  some; --input counts before both. The report says of each who said it, or that it is assumed.
)";

const std::vector<std::string_view>& format_names() {
  static const std::vector<std::string_view> names = {"full", "json", "csv", "trace", "html"};
  return names;
}

/// What is drawn of the jobs: only where a format asks.
struct Drawn {
  std::vector<sim::StepWork> works;  // of the jobs with a prediction
  std::vector<sim::StepRun> runs;
};

Drawn run_steps(const std::vector<SimulatedJob>& jobs, bool whole) {
  constexpr int kMostTasks = 400'000;  // a trace of some 60 MB
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
        page.dispatcher = model::to_string(job.workload->exchange.dispatcher);
      }
      page.event_step = drawn.runs[next].timeline.seconds;
      ++next;
    }
  }
  return report::simulate_html(pages);
}

std::string text_of(const std::string& format,
                    const std::vector<SimulatedJob>& jobs,
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
    return report::simulate_json(recipes);
  }
  return format == "csv" ? report::simulate_csv(recipes) : report::simulate_text(recipes, style);
}

ExitCode run(Session& session, const Arguments& arguments) {
  std::vector<std::string> paths = arguments.operands;
  if (paths.empty() && !arguments.words.empty()) {
    paths.emplace_back();  // the words are the recipe
  }
  if (paths.empty()) {
    throw world::UsageError("which recipe? `epwise simulate recipe.yaml --hw h100 --gpus 64`");
  }
  const std::vector<FormatSink> sinks = format_sinks(arguments.all("--format"), format_names());
  Simulator simulator(session, arguments);
  std::vector<SimulatedJob> jobs;
  ExitCode code = ExitCode::clean;
  for (const std::string& path : paths) {
    jobs.push_back(simulator.run(path, arguments.flag("--force")));
    if (!jobs.back().report.prediction) {
      code = ExitCode::findings;
    }
  }
  for (const FormatSink& sink : sinks) {
    report::Style style;
    if (sink.path.empty()) {
      style = style_of(arguments, session);
    }
    write_format(sink, text_of(sink.name, jobs, style), session);
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
      option.summary =
          "full (default), json, csv, trace (Perfetto) or html; repeat it to write several";
      option.words.clear();
      option.completion = Completion::nothing;
    }
  }
  options.push_back({.name = "--force",
                     .summary = "simulate a recipe though lint finds errors in it",
                     .brief = true});
  return {
      .name = "simulate",
      .usage = "simulate [OPTION...] FILE... [-- WORD...]",
      .summary = "predict the step time of a recipe and where it goes",
      .examples = {{"simulate recipe.yaml --hw h100 --gpus 64", "one recipe"},
                   {"simulate a.yaml b.yaml --hw gb200 --gpus 256 -f csv", "a table of several"},
                   {"simulate recipe.yaml --hw h100 --gpus 64 -f json", "for a program"},
                   {"simulate recipe.yaml --hw h100 --gpus 64 -f full -f html=step.html -f "
                    "trace=step.json",
                    "with a page to look at, and a trace for Perfetto"}},
      .options = std::move(options),
      .exits = {{ExitCode::clean, "every recipe was simulated"},
                {ExitCode::findings,
                 "one was not: lint finds errors in it and there is no --force, or facts are "
                 "missing"}},
      .about = kAbout,
      .operands = Completion::files,
      .takes_words = true,
      .run = run};
}

}  // namespace epwise::cli
