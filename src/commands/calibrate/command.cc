#include <algorithm>
#include <array>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/text/spelling.h"
#include "commands/all.h"
#include "commands/calibrate/actions.h"
#include "commands/calibrate/choice.h"
#include "commands/simulate/simulation.h"

namespace epwise::cli {

namespace {

constexpr std::string_view kAboutCalibrate = R"(WHAT IS MEASURED
  Kernels of the recipe's sizes (DeepSeek-V3 sizes without a recipe) on this machine, those with the
  most influence first: host time, GEMMs concurrent with exchanges at several SM counts, dispatch
  and combine, NCCL, grouped and dense GEMMs, memory. Every result is checked before it is timed;
  points are timed in shuffled rounds until the 95 % interval of the median is tight (1 %, --quick 2
  %). A point is measured, imported, assumed, or not_measured with a reason; nothing is
  interpolated. Every finished point is written immediately, so an interrupted run resumes where it
  stopped.

  `simulate --calibration FILE` and `compare --calibration FILE` use the result.

ACTIONS
  show FILE                 print the contents of a file, and what the simulator uses of it
  diff A B                  compare two files
  merge -o FILE A B...      merge points of several files from the same kind of device
  check FILE                exit 1 if the run did not finish, points are missing, noisy or
                            drifting, or fits are poor
  import -o FILE FILE...    output of nccl-tests, of DeepEP's and HybridEP's tests, CSV, JSON lines
  fit-steps FILE            refit the most influential constants to measured step times

SEVERAL GPUS
  One process per GPU, under torchrun, srun or mpirun; rank, world size and address come from their
  environment:
    torchrun --nproc-per-node 8 --no-python epwise calibrate recipe.yaml
    srun --ntasks-per-node 8 epwise calibrate recipe.yaml
)";

using Action = ExitCode (*)(Console& console, const Arguments& arguments);

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
      "calibrate takes one recipe, or an action and its files; `{}` is not an action{}",
      word,
      text::did_you_mean(word, names));
}

/// Text in place of requested JSON would confuse the calling program.
void keep_from_missing_json(std::string_view what, const Arguments& arguments) {
  constexpr std::array<std::string_view, 3> kWithJson = {"show", "diff", "check"};
  const bool has = std::ranges::find(kWithJson, what) != kWithJson.end();
  if (!has && arguments.text_of("--format") == "json") {
    throw os::UsageError(
        fmt::format("{} has no JSON output; a run, show, diff and check have one", what));
  }
}

ExitCode run_calibrate(Console& console, const Arguments& arguments) {
  if (!arguments.operands.empty()) {
    for (const auto& [name, action] : actions()) {
      if (name == arguments.operands.front()) {
        keep_from_missing_json(name, arguments);
        Arguments rest = arguments;
        rest.operands.erase(rest.operands.begin());
        return action(console, rest);
      }
    }
  }
  if (arguments.operands.size() > 1) {
    throw os::UsageError(no_action_text(arguments.operands.front()));
  }
  if (arguments.flag("--dry-run")) {
    keep_from_missing_json("--dry-run", arguments);
  }
  return run_calibration(console, arguments);
}

std::vector<Option> calibrate_options() {
  std::vector<Option> all = {
      {.name = "--backend",
       .arity = Option::Arity::one,
       .value = "NAME",
       .summary = "cuda (default); cpu (runs all steps on any machine); replay (generates times)",
       .variable = "EPWISE_BACKEND",
       .words = {"cuda", "cpu", "replay"},
       .completion = Completion::words,
       .brief = true},
      {.name = "--quick", .summary = "less than a minute: fewer points, ±2 %", .brief = true},
      {.name = "--budget",
       .arity = Option::Arity::one,
       .value = "TIME",
       .summary = "time limit: 45s, 5min (50s with --quick, else 270s)",
       .brief = true},
      {.name = "--output",
       .short_name = "-o",
       .arity = Option::Arity::one,
       .value = "FILE",
       .summary = "output file (calibration.yaml)",
       .completion = Completion::files,
       .brief = true,
       .writes = Option::Writes::value},
      {.name = "--fresh", .summary = "measure everything again, ignoring the output file"},
      {.name = "--dry-run", .summary = "print the planned points without measuring"},
      {.name = "--points", .summary = "show every point"},
      {.name = "--replay",
       .arity = Option::Arity::one,
       .value = "FILE",
       .summary = "for --backend replay: a calibration to draw from, or a script (epwise.replay/1)",
       .completion = Completion::files},
      {.name = "--seed",
       .arity = Option::Arity::one,
       .value = "N",
       .summary = "seed for inputs, routing and order of rounds (1)"},
      {.name = "--timeout",
       .arity = Option::Arity::one,
       .value = "TIME",
       .summary = "time limit for one call or one rank (60s)"}};
  for (Option& option : simulation_options({"text", "json"})) {
    all.push_back(std::move(option));
  }
  return all;
}

}  // namespace

Command calibrate_command() {
  return {
      .name = "calibrate",
      .usage = "calibrate [OPTION...] [RECIPE] | calibrate ACTION FILE...",
      .summary = "measure this machine's GPUs for the simulator",
      .examples = {{"calibrate --quick -o h200.yaml", "one GPU, in less than a minute"},
                   {"calibrate recipe.yaml --gpus 64 -o h200.yaml", "with the sizes of a recipe"},
                   {"calibrate --backend cpu --quick", "demonstration without a GPU"},
                   {"calibrate show h200.yaml", "print a calibration"}},
      .options = calibrate_options(),
      .exits = {{ExitCode::clean, "measured and written"},
                {ExitCode::findings, "check: the file has weak points; diff: points differ"},
                {ExitCode::no_device, "no GPU, or a GPU or rank was lost"}},
      .about = kAboutCalibrate,
      .operands = Completion::files,
      .run = run_calibrate};
}

}  // namespace epwise::cli
