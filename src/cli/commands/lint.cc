#include <ostream>
#include <string>

#include "cli/arguments.h"
#include "cli/calibration/choice.h"
#include "cli/commands/all.h"
#include "cli/lint/options.h"
#include "cli/lint/pricing.h"
#include "cli/lint/run.h"
#include "cli/target/options.h"
#include "hw/profile.h"

namespace epwise::cli {

namespace {

constexpr std::string_view kAbout = R"(FILES
  A file is linted whatever its name; a folder gives every YAML file and shell script below it,
  except what .gitignore and .epwiseignore files leave out and what is no recipe; a quoted pattern
  ('recipes/**/*.yaml') is expanded; - is standard input. Words behind -- are overrides in the form
  of the recipe (Hydra for Megatron-Bridge, flags for Megatron-LM), or, without a FILE, the whole
  launch.

WHERE SETTINGS COME FROM
  An option counts before its EPWISE_* variable, then a comment at the top of the recipe
  (# epwise: --hw gb200 --gpus 256), then the entry of `targets` and the rest of the nearest
  .epwise.yaml up to the root of the repository. `epwise config show --origin FILE` tells which
  one won. What nobody says stays unknown, and rules that need it stay open.

ACCEPTED FINDINGS
  # epwise: ignore[RULE, ...]: reason      beside a key or in the line above it: a finding about that
  key or anything below it is accepted. `while te < 2.8` or `until 2027-03-01` in front of the colon
  ends it; ignore-file[RULE]: reason speaks of the whole file. Rules are named, reasons are given,
  and a comment that accepts nothing is a finding that --fix takes out. What can't be read as a
  recipe can't be accepted.
  --baseline FILE accepts what `epwise baseline write FILE` found; it only shrinks.

PRICES
  --price holds settings that are legal against others that are as legal and fit: exposed exchange
  without overlap, dispatcher, SMs, hardware queues, CUDA graphs. A note tells what each costs a step
  (80 % interval), as a share and in GPU-hours a day, the dearest first; what lies within the
  prediction's own uncertainty is left out. Needs --hw and --gpus, and a recipe without errors.

FIXES
  --fix first puts misspelt names and words right, then writes the smallest set of changes that
  leaves no errors, then what can be done about warnings; every set is linted before it counts.
  neutral leaves the run as it is, performance may touch speed and memory, training the mathematics
  too; a higher tier never leaves more errors. What keeps the model's shapes, its batch and its
  precision comes before what changes them. Of sets of one size (another parallel layout counts as
  two changes, switching something off as three) the lower tier wins, then what lies nearer to the
  recipe: a switch, another word, another number. Errors that no fix settles are named. Accepted
  findings are left alone (--no-ignores, --baseline none: those too), and counted. Comments, order
  and quotes of a file stay; each file is written in one go, and Ctrl-C ends between two.
  With - the changed text goes to standard output and the findings to standard error.
)";

std::vector<Option> options() {
  std::vector<Option> result = target_options();
  result.push_back({.name = "--format",
                    .short_name = "-f",
                    .arity = Option::Arity::many,
                    .value = "NAME[=PATH]",
                    .summary = "auto (default), full, concise, json, sarif, github, ...; repeat it "
                               "to write several",
                    .variable = "EPWISE_FORMAT",
                    .brief = true});
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
                    .summary = "with --price, what you know of the run: host=40us, ...",
                    .variable = "EPWISE_INPUT"});
  result.push_back(calibration_option());
  result.back().summary =
      "say where what `epwise calibrate` measured has become stale, and price with it";
  return result;
}

/// Says of a calibration of another machine or another driver that predictions should not use it.
void note_stale_calibration(Session& session, const Arguments& arguments) {
  const auto calibration = read_calibration_option(session, arguments);
  if (!calibration) {
    return;
  }
  const hw::Profile* const profile = hw::find_profile(arguments.text_of("--hw"));
  for (const std::string& note :
       calibration->staleness(session, profile == nullptr ? "" : profile->name)) {
    session.err << "epwise: " << arguments.text_of("--calibration") << " is stale: " << note
                << "\n";
  }
}

ExitCode run(Session& session, const Arguments& arguments) {
  note_stale_calibration(session, arguments);
  return run_lint(session, arguments);
}

}  // namespace

Command lint_command() {
  return {
      .name = "lint",
      .usage = "lint [OPTION...] FILE... [-- WORD...]",
      .summary = "say what goes wrong when a recipe is launched",
      .examples = {{"lint recipe.yaml --hw h100 --gpus 64 --stack nemo-26.06",
                    "a recipe on a known target"},
                   {"lint recipes/ --stack auto --hw auto",
                    "every recipe of a folder, on this machine"},
                   {"lint recipe.yaml -- model.expert_model_parallel_size=16", "with an override"},
                   {"lint --gpus 64 -- --num-layers 4 --num-experts 64",
                    "a Megatron-LM command line"},
                   {"lint recipe.yaml --fix=performance --diff", "what would make it legal"},
                   {"lint recipe.yaml --hw gb200 --gpus 256 --price", "what legal settings cost"},
                   {"lint recipes/ --format sarif=epwise.sarif", "for code scanning"}},
      .options = options(),
      .exits =
          {{ExitCode::clean, "checked, nothing at or above --fail-on"},
           {ExitCode::findings,
            "something at or above --fail-on was found; that a file is empty, no YAML or no recipe "
            "is "
            "an error too (with --strict also: a rule could not be "
            "decided; with --diff also: something would be changed). Of several files the worst "
            "code wins, in the order 70, 2, 3, 4, 1, 0, whatever the format"},
           {ExitCode::nothing_checked,
            "nothing was checked: the folders hold no recipe, or no rule was left"}},
      .about = kAbout,
      .operands = Completion::files,
      .takes_words = true,
      .run = run};
}

}  // namespace epwise::cli
