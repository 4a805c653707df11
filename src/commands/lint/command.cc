#include <ostream>
#include <string>

#include "commands/all.h"
#include "commands/calibrate/choice.h"
#include "commands/lint/pricing.h"
#include "commands/lint/run.h"
#include "hw/profile.h"
#include "session/options/arguments.h"
#include "session/options/run_options.h"
#include "session/options/target_options.h"
#include "ui/lint_options.h"

namespace epwise::cli {

namespace {

constexpr std::string_view kAboutLint = R"(FILES
  A named file is always linted. A directory is searched for YAML files and shell scripts; files
  that .gitignore or .epwiseignore exclude, and files that are not recipes, are skipped. A quoted
  pattern ('recipes/**/*.yaml') is expanded; - is standard input. Words after -- are overrides in
  the recipe's syntax (Hydra for Megatron-Bridge, flags for Megatron-LM) or, without a FILE, a
  complete launch command.

WHERE SETTINGS COME FROM
  In order of precedence: the option, its EPWISE_* variable, a comment at the top of the recipe
  (# epwise: --hw gb200 --gpus 256), what a launch script says (#SBATCH, torchrun), the matching entry
  of `targets` in the nearest .epwise.yaml up to the root of the repository, and the rest of that
  file. `epwise config show --origin FILE` shows which one applies. Values that are not given are
  unknown; rules that need them are skipped.

ACCEPTED FINDINGS
  # epwise: ignore[RULE, ...]: reason      after a key or on the line above it accepts findings
  about that key or anything below it. `while te < 2.8` or `until 2027-03-01` before the colon
  limits it; ignore-file[RULE]: reason applies to the whole file. Rules and a reason are required.
  A comment that accepts nothing is itself a finding, and --fix removes it. A file that cannot be
  read as a recipe cannot be accepted.
  --baseline FILE accepts what `epwise baseline write FILE` recorded; a baseline only shrinks.

PRICES
  --price compares each setting with valid alternatives that fit in memory: exposed exchange without
  overlap, dispatcher, SMs, hardware queues, CUDA graphs. A note states the cost per step (80 %
  interval), its share of the step and the GPU-hours per day, most expensive first; differences
  within the uncertainty of the prediction are omitted. Needs --hw and --gpus, and a recipe without
  errors.

FIXES
  --fix first corrects misspelt names and words, then applies the smallest set of changes that
  leaves no errors, then fixes warnings where possible; every set is linted before it is accepted.
  The tier `neutral` does not affect the run, `performance` may change speed and memory, `training`
  also the numerics; a higher tier never leaves more errors. Changes that keep the model's shapes,
  its batch size and its precision are preferred. Among sets of equal size (a different parallel
  layout counts as two changes, switching a feature off as three) the lower tier wins, then the
  smaller edit: a switch, another word, another number. Errors without a fix are listed. Accepted
  findings are counted but not fixed, except with --no-ignores or --baseline none. Comments, order
  and quotes are preserved; each file is written atomically, and Ctrl-C stops between two files.
  With - the changed text goes to standard output and the findings to standard error.
)";

std::vector<Option> lint_options() {
  std::vector<Option> result = target_options();
  result.push_back(
      {.name = "--format",
       .short_name = "-f",
       .arity = Option::Arity::many,
       .value = "NAME[=PATH]",
       .summary = "auto (default), full, concise, json, sarif, github, ...; repeatable",
       .variable = "EPWISE_FORMAT",
       .brief = true,
       .writes = Option::Writes::after_equals});
  for (const std::vector<Option>& more : {selection_options(),
                                          fix_options(),
                                          acceptance_options(),
                                          configuration_options(),
                                          input_options()}) {
    result.insert(result.end(), more.begin(), more.end());
  }
  result.push_back(price_option());
  result.push_back({.name = "--input",
                    .arity = Option::Arity::many,
                    .value = "NAME=VALUE",
                    .summary = "with --price, known facts about the run: host=40us, ...",
                    .variable = "EPWISE_INPUT"});
  result.push_back(calibration_option());
  result.back().summary = "check whether this calibration is stale, and use it with --price";
  return result;
}

/// Warns about a calibration of another machine or driver, which predictions should not use.
void note_stale_calibration(Console& console, const Arguments& arguments) {
  const auto calibration = read_calibration_option(console, arguments);
  if (!calibration) {
    return;
  }
  const hw::Profile* const profile = hw::find_profile(arguments.text_of("--hw"));
  for (const std::string& note :
       calibration->staleness(console, profile == nullptr ? "" : profile->name)) {
    console.err << "epwise: " << arguments.text_of("--calibration") << " is stale: " << note
                << "\n";
  }
}

ExitCode run_lint_command(Console& console, const Arguments& arguments) {
  note_stale_calibration(console, arguments);
  return run_lint(console, arguments);
}

}  // namespace

Command lint_command() {
  return {
      .name = "lint",
      .usage = "lint [OPTION...] FILE... [-- WORD...]",
      .summary = "find out what goes wrong when a recipe is launched",
      .examples =
          {{"lint recipe.yaml --hw h100 --gpus 64 --stack nemo-26.06",
            "a recipe on a given target"},
           {"lint recipes/ --stack auto --hw auto", "every recipe in a directory, on this machine"},
           {"lint recipe.yaml -- model.expert_model_parallel_size=16", "with an override"},
           {"lint --gpus 64 -- --num-layers 4 --num-experts 64", "a Megatron-LM command line"},
           {"lint recipe.yaml --fix=performance --diff", "changes that would make it valid"},
           {"lint recipe.yaml --hw gb200 --gpus 256 --price", "what valid settings cost"},
           {"lint recipes/ --format sarif=epwise.sarif", "for code scanning"}},
      .options = lint_options(),
      .exits = {{ExitCode::clean, "checked, nothing at or above --fail-on"},
                {ExitCode::findings,
                 "findings at or above --fail-on; a file that is empty, not YAML or not a recipe "
                 "is an error too (with --strict also if a rule is undecided; with --diff also if "
                 "something would change). With several files the worst code wins, in the order "
                 "70, 2, 3, 4, 1, 0, in every format"},
                {ExitCode::nothing_checked,
                 "nothing checked: the directories contain no recipe, or no rule is selected"}},
      .about = kAboutLint,
      .operands = Completion::files,
      .takes_words = true,
      .run = run_lint_command};
}

}  // namespace epwise::cli
