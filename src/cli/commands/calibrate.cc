#include <algorithm>
#include <array>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "cli/calibration/file.h"
#include "cli/calibration/run.h"
#include "cli/commands/all.h"
#include "cli/commands/calibration_actions.h"
#include "cli/simulate/simulation.h"
#include "text/spelling.h"

namespace epwise::cli {

namespace {

constexpr std::string_view kAbout = R"(WHAT IS MEASURED
  Kernels of the recipe's sizes (those of DeepSeek-V3 without a recipe), on this machine: what decides
  most comes first. Host time, GEMMs beside exchanges with several SM counts, dispatch and combine,
  NCCL, grouped and dense GEMMs, memory. Each result is checked before it is timed; rounds go around
  the points in shuffled order until the median's 95 % interval is tight (1 %, --quick 2 %). A point is
  measured, imported, assumed or not_measured with its reason; nothing is filled in. Every finished
  point is written at once: a run that was stopped goes on where it stood.

  `simulate --calibration FILE` and `compare --calibration FILE` use the result.

ACTIONS
  show FILE                 what a file says, and what the simulator takes from it
  diff A B                  what changed between two files
  merge -o FILE A B...      points of several files of one device kind
  check FILE                exit 1 when points are missing, noisy or drifting, or laws are poor
  import -o FILE FILE...    output of nccl-tests, of DeepEP's and HybridEP's tests, CSV, JSON lines
  fit-steps FILE            refits the constants that decide most to measured step times

SEVERAL GPUS
  One process a GPU, under torchrun, srun or mpirun; rank, world and address come from their
  environment:
    torchrun --nproc-per-node 8 --no-python epwise calibrate recipe.yaml
    srun --ntasks-per-node 8 epwise calibrate recipe.yaml
)";

using Action = ExitCode (*)(Session& session, const Arguments& arguments);

const std::vector<std::pair<std::string_view, Action>>& actions() {
  static const std::vector<std::pair<std::string_view, Action>> all = {
      {"show", show_calibration},
      {"diff", diff_calibrations},
      {"merge", merge_calibrations},
      {"check", check_calibration},
      {"import", import_calibration},
      {"fit-steps", fit_steps}};
  return all;
}

std::string no_action_text(const std::string& word) {
  std::vector<std::string_view> names;
  for (const auto& [name, action] : actions()) {
    names.push_back(name);
  }
  return fmt::format(
      "calibrate takes one recipe, or an action and its files, and `{}` is no action{}",
      word,
      text::did_you_mean(word, names));
}

/// A text where JSON was asked for would only confuse the program that reads it.
void keep_from_missing_json(std::string_view what, const Arguments& arguments) {
  constexpr std::array<std::string_view, 3> kWithJson = {"show", "diff", "check"};
  const bool has = std::ranges::find(kWithJson, what) != kWithJson.end();
  if (!has && arguments.text_of("--format") == "json") {
    throw world::UsageError(
        fmt::format("{} has no JSON to print: a run, show, diff and check have", what));
  }
}

ExitCode run(Session& session, const Arguments& arguments) {
  if (!arguments.operands.empty()) {
    for (const auto& [name, action] : actions()) {
      if (name == arguments.operands.front()) {
        keep_from_missing_json(name, arguments);
        Arguments rest = arguments;
        rest.operands.erase(rest.operands.begin());
        return action(session, rest);
      }
    }
  }
  if (arguments.operands.size() > 1) {
    throw world::UsageError(no_action_text(arguments.operands.front()));
  }
  if (arguments.flag("--dry-run")) {
    keep_from_missing_json("--dry-run", arguments);
  }
  return run_calibration(session, arguments);
}

std::vector<Option> options() {
  std::vector<Option> all = {
      {.name = "--backend",
       .arity = Option::Arity::one,
       .value = "NAME",
       .summary =
           "cuda (default); cpu, which runs all steps anywhere; replay, which makes times up",
       .variable = "EPWISE_BACKEND",
       .words = {"cuda", "cpu", "replay"},
       .completion = Completion::words,
       .brief = true},
      {.name = "--quick", .summary = "within a minute: fewer points, ±2 %", .brief = true},
      {.name = "--budget",
       .arity = Option::Arity::one,
       .value = "TIME",
       .summary = "end after so long: 45s, 5min (50s with --quick, else 270s)",
       .brief = true},
      {.name = "--output",
       .short_name = "-o",
       .arity = Option::Arity::one,
       .value = "FILE",
       .summary = "where the calibration goes (calibration.yaml)",
       .completion = Completion::files,
       .brief = true},
      {.name = "--fresh", .summary = "measure everything anew, whatever the output file holds"},
      {.name = "--dry-run", .summary = "print the points of the plan, measure nothing"},
      {.name = "--points", .summary = "show every point"},
      {.name = "--replay",
       .arity = Option::Arity::one,
       .value = "FILE",
       .summary = "of --backend replay: a calibration to draw from, or a script (epwise.replay/1)",
       .completion = Completion::files},
      {.name = "--seed",
       .arity = Option::Arity::one,
       .value = "N",
       .summary = "of inputs, routing and order of rounds (1)"},
      {.name = "--timeout",
       .arity = Option::Arity::one,
       .value = "TIME",
       .summary = "how long one call or one rank may hang (60s)"}};
  for (Option& option : simulation_options({"text", "json"})) {
    all.push_back(std::move(option));
  }
  return all;
}

}  // namespace

Command calibrate_command() {
  return {.name = "calibrate",
          .usage = "calibrate [OPTION...] [RECIPE] | calibrate ACTION FILE...",
          .summary = "measure this machine's GPUs for the simulator",
          .examples = {{"calibrate --quick -o h200.yaml", "one GPU, within a minute"},
                       {"calibrate recipe.yaml --gpus 64 -o h200.yaml", "the sizes of a recipe"},
                       {"calibrate --backend cpu --quick", "see it work without a GPU"},
                       {"calibrate show h200.yaml", "what a file says"}},
          .options = options(),
          .exits = {{ExitCode::clean, "measured and written"},
                    {ExitCode::findings, "check: the file has weak spots; diff: points differ"},
                    {ExitCode::no_device, "there is no GPU, or it or a rank was lost"}},
          .about = kAbout,
          .operands = Completion::files,
          .run = run};
}

}  // namespace epwise::cli
