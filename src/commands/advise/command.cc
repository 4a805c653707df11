#include <algorithm>
#include <initializer_list>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text/spelling.h"
#include "base/units/checked.h"
#include "commands/advise/advising.h"
#include "commands/advise/interview.h"
#include "commands/advise/report.h"
#include "commands/all.h"
#include "commands/diff/effect.h"
#include "commands/simulate/simulation.h"
#include "session/files/file_selection.h"
#include "session/files/places.h"
#include "ui/console.h"
#include "ui/report_output.h"
#include "ui/single_recipe.h"

namespace epwise::cli {

namespace {

constexpr std::string_view kAboutAdvise = R"(WHAT IT REPORTS
  Whether memory, communication, host or compute limits the step; which dispatcher is fastest for
  this model, hardware, group size and software stack; the range of SM counts in which the step time
  is flat; what overlap, delayed weight gradients and CUDA graphs gain, alone and combined; and
  plans: short lists of edits with their gain, memory, risk, bring-up order and launch variables.

  Every plan passes lint on the target and fits in memory. A recipe with errors is fixed first.
  A plan is listed if it is better in at least nine of ten draws of the model's constants; the rest
  are too close to call and are listed with the measurement that would decide. Intervals are 80 %.

WITHOUT A RECIPE
  On a terminal, epwise asks for model, hardware, GPUs, sequence length, precision and stack, finds
  the fastest layout that fits with plain all-to-all, prints the same report and offers to write a
  starter recipe. Without a terminal, or with --no-input, it asks nothing.

WHAT MAY CHANGE
  Groups: mapping, batch, recompute, dispatcher, overlap, graphs (all on by default), and precision,
  which changes training and is off by default. --keep and --may-change take groups, axes and field
  names. The global batch size and the model never change. A graph of the whole step that drops
  tokens changes training too: only --purpose benchmark or --may-change graphs tries it. If the
  release is unknown, plans pass the checks of the newest one.

MEASUREMENTS
  --profile FILE gives times of your own run: `step_time: 41.25 s`, `dispatch_time: 2.7 ms` (one
  exchange of one layer and micro-batch), `host_operation: 62 us`, `exposed_share: 18 %` (share of
  the step in which only communication runs). FILE can also be an SQLite export of Nsight Systems
  (`nsys export --type sqlite`) with at least three steps, found by the NVTX ranges `iteration` or
  `step`, or else by repetition. Predictions are adjusted to the measurements.

GOALS
  speed   the shortest step that fits in memory
  memory  the least memory at a step time at most 2 % longer
  safe    at most two changes, none of the layout or of high risk, each worth at least 2 % of the
          step, 7 % if its risk is medium; more changes only where the recipe does not fit
)";

/// FORMAT or FORMAT=PATH.
struct Destination {
  std::string format = "full";
  std::string path;
};

Destination destination_of(const Console& console, const Arguments& arguments) {
  Destination destination;
  if (const auto setting = arguments.one("--format")) {
    const std::size_t sign = setting->value.find('=');
    destination.format = setting->value.substr(0, sign);
    destination.path = sign == std::string::npos ? "" : setting->value.substr(sign + 1);
    const std::vector<std::string_view> known = {"full", "json", "markdown", "html"};
    if (std::find(known.begin(), known.end(), destination.format) == known.end()) {
      throw os::UsageError(fmt::format("{}: no format `{}`{}",
                                       setting->source,
                                       destination.format,
                                       text::did_you_mean(destination.format, known)));
    }
  }
  const std::string folder = parent_of(destination.path);
  if (folder != "." && !console.files.is_directory(folder)) {
    throw os::MissingError(
        fmt::format("cannot write {}: no directory {}", destination.path, folder));
  }
  return destination;
}

void put(const std::string& text, const Destination& destination, Console& console) {
  if (destination.path.empty()) {
    console.out << text;
  } else {
    console.files.write_atomically(destination.path, text);
    console.err << fmt::format("epwise: wrote {}\n", destination.path);
  }
}

report::Style style_for(const Destination& destination,
                        const Arguments& arguments,
                        const Console& console) {
  report::Style style = style_of(arguments, console);
  if (!destination.path.empty()) {
    style.colour = false;
    style.hyperlinks = false;
  }
  return style;
}

ExitCode answer(Console& console, const Arguments& arguments, const AdvisedJob& job) {
  const Destination destination = destination_of(console, arguments);
  if (destination.format == "markdown" || destination.format == "html") {
    throw os::UsageError(
        fmt::format("--why-not is answered as text or json, not as {}", destination.format));
  }
  report::AnsweredWhyNot answered{
      job.recipe().path,
      job.target_text(),
      report::checked_against(job.base().result, job.target_text()),
      advise::why_not(job.world(),
                      advise::knowledge(),
                      edit_of(*arguments.one("--why-not"), job),
                      advise_request(console, arguments, *job.base().target->hw))};
  answered.changes_training =
      answered.answer.tokens != 1 ||
      std::ranges::any_of(answered.answer.changed, [](const std::string& field) {
        return diff::EffectTable::embedded().effect_of(field) == diff::Effect::training;
      });
  put(destination.format == "json"
          ? report::why_not_json(answered, console.newer_releases())
          : report::why_not_text(answered, style_for(destination, arguments, console)),
      destination,
      console);
  return answered.answer.legality.legal ? ExitCode::clean : ExitCode::findings;
}

/// The plan that --diff and --write are about.
struct Chosen {
  const advise::Plan* plan = nullptr;  // null pointer: there is none
  std::string name = "the first plan";
};

/// The first plan, or that of --plan. Throws os::UsageError for a number that no plan has.
Chosen chosen_plan(const advise::Advice& advice, const Arguments& arguments) {
  const auto asked = arguments.one("--plan");
  if (!asked) {
    return {advice.plans.empty() ? nullptr : &advice.plans.front()};
  }
  const auto number = units::whole_number(asked->value, 1, std::numeric_limits<int>::max());
  if (!number) {
    throw os::UsageError(
        fmt::format("{}: expected the number of a plan, not `{}`", asked->source, asked->value));
  }
  if (static_cast<std::size_t>(*number) > advice.plans.size()) {
    throw os::UsageError(
        fmt::format("{}: there is no plan {}: the search made {}",
                    asked->source,
                    *number,
                    report::counted(static_cast<int>(advice.plans.size()), "plan")));
  }
  return {&advice.plans[static_cast<std::size_t>(*number - 1)], fmt::format("plan {}", *number)};
}

/// Whether the text cannot be changed as the plan asks; says why.
bool is_obstructed(const Chosen& chosen, Console& console) {
  if (chosen.plan == nullptr || chosen.plan->obstacle.empty()) {
    return false;
  }
  console.err << fmt::format("epwise: {} is not applied: {}\n", chosen.name, chosen.plan->obstacle);
  return true;
}

/// The variables that the plan needs and that the file cannot hold.
void tell_variables(const Chosen& chosen, Console& console) {
  if (chosen.plan != nullptr) {
    for (const auto& [name, value] : chosen.plan->environment) {
      console.err << fmt::format("epwise: launch it with {}={}\n", name, value);
    }
  }
}

ExitCode write_plan(Console& console,
                    const AdvisedJob& job,
                    const advise::Advice& advice,
                    const Chosen& chosen) {
  const Draft before = job.base().document->draft();
  if (is_obstructed(chosen, console)) {
    console.err << "epwise: nothing written\n";
    return ExitCode::findings;
  }
  const Draft* after = chosen.plan != nullptr ? &chosen.plan->draft : &advice.mended;
  if (after->bytes == before.bytes) {
    console.err << "epwise: no plan changes the file: nothing written\n";
    return ExitCode::clean;
  }
  const std::string& path = job.base().document->path;
  if (!console.files.replace_atomically(path, before.bytes, after->bytes)) {
    throw os::MissingError(
        fmt::format("{} was modified by another process: nothing written", path));
  }
  console.err << fmt::format("epwise: {}: {} written\n",
                             path,
                             chosen.plan != nullptr ? chosen.name + " is" : "the fixes are");
  tell_variables(chosen, console);
  const auto own = job.recipe().raw.find("raw.gpus");
  const std::int64_t* count = own == job.recipe().raw.end() ? nullptr : own->second.integer();
  if (const auto& gpus = job.base().target->gpus; count != nullptr && gpus && *gpus != *count) {
    console.err << fmt::format(
        "epwise: the file starts {} GPUs, and what was written is for {}: change that too\n",
        *count,
        *gpus);
  }
  return ExitCode::clean;
}

void print(Console& console, const Arguments& arguments, const report::AdvisedRecipe& recipe) {
  const Destination destination = destination_of(console, arguments);
  if (arguments.flag("--diff")) {
    const Chosen chosen = chosen_plan(recipe.advice, arguments);
    console.out << (chosen.plan == nullptr ? recipe.advice.repair_diff : chosen.plan->diff);
  } else if (destination.format == "json") {
    put(report::advise_json(recipe, console.newer_releases()), destination, console);
  } else if (destination.format == "markdown") {
    put(report::advise_markdown(recipe), destination, console);
  } else if (destination.format == "html") {
    put(report::advise_html(recipe), destination, console);
  } else {
    put(report::advise_text(recipe, style_for(destination, arguments, console)),
        destination,
        console);
  }
}

Advised advise_recipe(Console& console, const Arguments& arguments) {
  const bool words_only = arguments.operands.empty();
  const AdvisedJob job(console,
                       arguments,
                       source_of(words_only ? "" : arguments.operands.front(), arguments, console));
  if (arguments.one("--why-not")) {
    return {answer(console, arguments, job), {}};
  }
  destination_of(console, arguments);  // errors are reported before the search
  const report::AdvisedRecipe recipe = advice_on(job, console, arguments);
  const advise::Advice& advice = recipe.advice;
  print(console, arguments, recipe);
  if (!advice.present) {
    return {ExitCode::findings, {}};
  }
  if (console.interruption != nullptr && console.interruption->wanted) {
    return {ExitCode::interrupted, {}};
  }
  Advised advised;
  if (!advice.plans.empty() && advice.plans.front().obstacle.empty()) {
    advised.planned = advice.plans.front().draft.bytes;
  }
  const Chosen chosen = chosen_plan(advice, arguments);
  if (arguments.flag("--write") && !words_only) {
    advised.code = write_plan(console, job, advice, chosen);
  } else if (arguments.flag("--diff")) {
    tell_variables(chosen, console);
    advised.code = is_obstructed(chosen, console) ? ExitCode::findings : ExitCode::clean;
  }
  return advised;
}

/// `simulated`: what was simulated instead of a recipe of the user.
ExitCode answer_which(Console& console,
                      const Arguments& arguments,
                      const AdvisedJob& job,
                      const std::string& simulated) {
  destination_of(console, arguments);
  report::AdvisedRecipe recipe = advised_recipe(job);
  recipe.simulated = simulated;
  recipe.advice = advise::which_dispatcher(job.world(), advise::knowledge());
  print(console, arguments, recipe);
  const bool chosen = recipe.advice.choice && !recipe.advice.choice->name.empty();
  return chosen ? ExitCode::clean : ExitCode::findings;
}

/// Throws os::UsageError for the first of these options that is given: `why` with its name.
void refuse(const Arguments& arguments,
            std::initializer_list<std::string_view> options,
            fmt::string_view why) {
  for (const std::string_view option : options) {
    if (arguments.flag(option)) {
      throw os::UsageError(fmt::format(fmt::runtime(why), option));
    }
  }
}

/// --which dispatcher, for a recipe, or for a model on some hardware.
ExitCode run_which(Console& console, const Arguments& arguments) {
  if (!arguments.operands.empty() || !arguments.words.empty()) {
    refuse(arguments,
           {"--model", "--ep"},
           "{0} describes a model without a recipe: give a recipe or {0}, not both");
    const std::string path = arguments.operands.empty() ? "" : arguments.operands.front();
    const AdvisedJob job(console, arguments, source_of(path, arguments, console));
    return answer_which(console, arguments, job, "");
  }
  const auto answer_for = [](Console& at, const Arguments& given, const std::string& simulated) {
    const AdvisedJob job(at, given, {.path = given.operands.front(), .text = std::nullopt});
    return answer_which(at, given, job, simulated);
  };
  return with_starter(console, arguments, answer_for);
}

ExitCode run_advise(Console& console, const Arguments& arguments) {
  if (arguments.operands.size() > 1) {
    throw os::UsageError("give one recipe; --among ranks others next to it");
  }
  if (arguments.flag("--diff") && arguments.flag("--write")) {
    throw os::UsageError("--diff shows what --write would change: give one of them");
  }
  if (arguments.one("--which")) {
    refuse(arguments,
           {"--profile",
            "--among",
            "--why-not",
            "--write",
            "--diff",
            "--plan",
            "--goal",
            "--keep",
            "--may-change",
            "--top"},
           "--which dispatcher takes no {}");
    return run_which(console, arguments);
  }
  refuse(arguments, {"--model", "--ep"}, "{} needs --which dispatcher");
  if (arguments.one("--why-not")) {
    refuse(arguments,
           {"--write", "--diff", "--plan", "--among", "--top", "--profile"},
           "--why-not answers one question and takes no {}");
  }
  if (!arguments.flag("--diff") && !arguments.flag("--write")) {
    refuse(arguments, {"--plan"}, "{} needs --diff or --write");
  }
  if (arguments.flag("--write") && !arguments.operands.empty() &&
      session::is_standard_input(arguments.operands.front())) {
    throw os::UsageError(
        "--write needs a file: --diff prints the change of what standard input has");
  }
  if (arguments.flag("--diff") && arguments.one("--format")) {
    throw os::UsageError("--diff prints a diff and nothing else: leave out --format");
  }
  if (!arguments.operands.empty() || !arguments.words.empty()) {
    return advise_recipe(console, arguments).code;
  }
  if (!can_ask(console, arguments)) {
    throw os::UsageError(
        "no recipe given: `epwise advise recipe.yaml --hw h100 --gpus 64`\n(without a recipe, "
        "epwise asks for model, hardware and GPUs, but only on a terminal)");
  }
  if (arguments.flag("--write") || arguments.flag("--diff") || arguments.one("--why-not")) {
    throw os::UsageError("--write, --diff and --why-not need a recipe");
  }
  return interview_for_advice(console, arguments, advise_recipe);
}

/// What the answer rests on besides the recipe, and narrower questions.
std::vector<Option> question_options() {
  return {
      {.name = "--profile",
       .arity = Option::Arity::one,
       .value = "FILE",
       .summary = "measurements of this recipe: times in YAML, or an nsys SQLite export",
       .completion = Completion::files},
      {.name = "--among",
       .arity = Option::Arity::many,
       .value = "FILE",
       .summary = "a recipe to rank next to this one and its plans",
       .completion = Completion::files},
      {.name = "--why-not",
       .arity = Option::Arity::one,
       .value = "FIELD=VALUE",
       .summary = "why a value is not allowed, or what it costs",
       .brief = true},
      {.name = "--which",
       .arity = Option::Arity::one,
       .value = "WHAT",
       .summary = "dispatcher: compare the token dispatchers only; without a recipe, for --model",
       .words = {"dispatcher"},
       .completion = Completion::words,
       .brief = true},
      {.name = "--model",
       .arity = Option::Arity::one,
       .value = "NAME",
       .summary = "with --which and no recipe: deepseek-v3, qwen3-235b-a22b, ..."},
      {.name = "--ep",
       .arity = Option::Arity::one,
       .value = "N",
       .summary = "with --model: expert-parallel ranks (default: those of the fastest layout)"},
      {.name = "--diff", .summary = "print the diff of the first plan only", .brief = true},
      {.name = "--write", .summary = "apply the first plan to the file", .brief = true},
      {.name = "--plan",
       .arity = Option::Arity::one,
       .value = "N",
       .summary = "with --diff or --write: this plan instead of the first"},
  };
}

std::vector<Option> advise_options() {
  std::vector<Option> options = simulation_options({"full", "json"});
  std::erase_if(options, [](const Option& option) {  // of exit codes that advice does not have
    return option.name == "--fail-on" || option.name == "--strict";
  });
  for (Option& option : options) {
    if (option.name == "--format") {
      option.value = "NAME[=PATH]";
      option.summary = "full (default), json, markdown or html; =PATH writes a file";
      option.words = {};
      option.completion = Completion::nothing;
      option.writes = Option::Writes::after_equals;
    }
  }
  const std::vector<Option> own = {
      {.name = "--goal",
       .arity = Option::Arity::one,
       .value = "GOAL",
       .summary = "speed (default), memory or safe",
       .words = {"speed", "memory", "safe"},
       .completion = Completion::words,
       .brief = true},
      {.name = "--keep",
       .arity = Option::Arity::many,
       .value = "NAME",
       .summary = "a field or group to leave unchanged: mapping, moe_router_dtype, ..."},
      {.name = "--may-change",
       .arity = Option::Arity::many,
       .value = "NAME",
       .summary =
           "the only fields or groups to change: dispatcher, overlap, precision, a field, ...",
       .brief = true},
      {.name = "--top",
       .arity = Option::Arity::one,
       .value = "N",
       .summary = "number of plans (default 5)"},
  };
  for (const std::vector<Option>& more : {own, question_options()}) {
    options.insert(options.end(), more.begin(), more.end());
  }
  return options;
}

}  // namespace

Command advise_command() {
  return {
      .name = "advise",
      .usage = "advise [OPTION...] [FILE] [-- WORD...]",
      .summary = "suggest dispatcher, SM count, overlap and CUDA graphs for a recipe",
      .examples = {{"advise recipe.yaml --hw gb200 --gpus 256", "everything"},
                   {"advise recipe.yaml --hw h100 --gpus 64 --may-change dispatcher,overlap",
                    "leave the rest unchanged"},
                   {"advise recipe.yaml --hw h100 --gpus 64 --why-not moe_flex_dispatcher_"
                    "backend=deepep",
                    "why not this value?"},
                   {"advise recipe.yaml --hw h100 --gpus 64 --diff", "a patch to apply"},
                   {"advise --which dispatcher --model deepseek-v3 --hw gb200 --gpus 256 --ep 64",
                    "which dispatcher, before there is a recipe?"},
                   {"advise", "without a recipe: answer a few questions"},
                   {"advise slow.yaml --among fast.yaml --hw h100 --gpus 64",
                    "rank other recipes next to the plans"}},
      .options = advise_options(),
      .exits =
          {{ExitCode::clean, "advice given, even if nothing is better than the recipe"},
           {ExitCode::findings,
            "facts are missing, the value given to --why-not is not valid, or the file cannot be "
            "changed as --diff or --write ask"}},
      .about = kAboutAdvise,
      .operands = Completion::files,
      .takes_words = true,
      .run = run_advise};
}

}  // namespace epwise::cli
