#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands/all.h"
#include "cli/report_output.h"
#include "cli/simulation.h"

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

INPUTS
  --input states what the lists of assumptions name; an interval shrinks with what is known.
  routing=forced|natural, imbalance=1.2 (hottest rank over mean), host=40us (one framework
  operation), cpu=x86|grace, nic_rate=400Gbit/s, nvlink_domain=72, attention_path=fused|unfused
  (learnable softmax), fp8_attention=on|off, fused_experts=on|off
)";

ExitCode run(Session& session, const Arguments& arguments) {
  std::vector<std::string> paths = arguments.operands;
  if (paths.empty() && !arguments.words.empty()) {
    paths.emplace_back();  // the words are the recipe
  }
  if (paths.empty()) {
    throw world::UsageError("which recipe? `epwise simulate recipe.yaml --hw h100 --gpus 64`");
  }
  Simulator simulator(session, arguments);
  std::vector<report::SimulatedRecipe> recipes;
  ExitCode code = ExitCode::clean;
  for (const std::string& path : paths) {
    SimulatedJob job = simulator.run(path, arguments.flag("--force"));
    if (!job.report.prediction) {
      code = ExitCode::findings;
    }
    recipes.push_back(std::move(job.report));
  }
  const std::string format = arguments.text_of("--format", "full");
  if (format == "json") {
    session.out << report::simulate_json(recipes);
  } else if (format == "csv") {
    session.out << report::simulate_csv(recipes);
  } else {
    session.out << report::simulate_text(recipes, style_of(arguments, session));
  }
  return code;
}

}  // namespace

Command simulate_command() {
  std::vector<Option> options = simulation_options({"full", "json", "csv"});
  options.push_back({.name = "--force",
                     .summary = "simulate a recipe though lint finds errors in it",
                     .brief = true});
  return {
      .name = "simulate",
      .usage = "simulate [OPTION...] FILE... [-- WORD...]",
      .summary = "predict the step time of a recipe and where it goes",
      .examples = {{"simulate recipe.yaml --hw h100 --gpus 64", "one recipe"},
                   {"simulate a.yaml b.yaml --hw gb200 --gpus 256 -f csv", "a table of several"},
                   {"simulate recipe.yaml --hw h100 --gpus 64 -f json", "for a program"}},
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
