#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/advise/advise_interview.h"
#include "cli/advise/advising.h"
#include "cli/advise/search_progress.h"
#include "cli/commands/all.h"
#include "cli/files/places.h"
#include "cli/interruption.h"
#include "cli/report_output.h"
#include "cli/simulate/simulation.h"
#include "report/advise/writer.h"
#include "text/line_diff.h"
#include "text/spelling.h"

namespace epwise::cli {

namespace {

constexpr std::string_view kAbout = R"(WHAT IS ADVISED
  Which of memory, communication, host and compute binds the step; which dispatcher is fastest for
  this model, hardware, group and stack; over which numbers of SMs the step is flat; what overlap,
  delayed weight gradients and CUDA graphs add, alone and together; and plans, each a short list of
  edits with its gain, memory, risk, order of bring-up and launch variables.

  Every plan lints clean on the target and fits in memory. A recipe with errors is repaired first.
  Plans stand where at least nine of ten draws of the model's constants agree that they are better;
  others are too close to call and come with the measurement that would decide. Intervals hold 80 %.

WITHOUT A RECIPE
  On a terminal epwise asks for model, hardware, GPUs, sequence, precision and stack, looks for the
  fastest layout that fits with all-to-all alone, and ends with the same report and a starter recipe
  that it can write. Elsewhere, or with --no-input, nothing is asked.

WHAT MAY CHANGE
  Groups: mapping, batch, recompute, dispatcher, overlap, graphs (all by default), and precision,
  which changes training and must be asked for. --keep and --may-change take groups, axes and field
  names. The global batch and the model always stay.

MEASURED
  --profile FILE holds times of your own run: `step_time: 41.25 s`, `dispatch_time: 2.7 ms` (one
  exchange of a layer and micro-batch), `host_operation: 62 us`, `exposed_share: 18 %` (of the step,
  only communication running). Or it is an SQLite export of Nsight Systems (`nsys export --type
  sqlite`) of three steps or more; steps are its NVTX ranges `iteration` or `step`, else what
  repeats. Predictions are held to what was measured.

GOALS
  speed   the shortest step that fits
  memory  the least memory without a step that is more than 2 % slower
  safe    few changes, each of which brings 2 % of the step or more, and more where it is risky
)";

/// FORMAT or FORMAT=PATH.
struct Destination {
  std::string format = "full";
  std::string path;
};

Destination destination_of(const Session& session, const Arguments& arguments) {
  Destination destination;
  if (const auto setting = arguments.one("--format")) {
    const std::size_t sign = setting->value.find('=');
    destination.format = setting->value.substr(0, sign);
    destination.path = sign == std::string::npos ? "" : setting->value.substr(sign + 1);
    const std::vector<std::string_view> known = {"full", "json", "markdown", "html"};
    if (std::find(known.begin(), known.end(), destination.format) == known.end()) {
      throw world::UsageError(fmt::format("{}: no format `{}`{}",
                                          setting->source,
                                          destination.format,
                                          text::did_you_mean(destination.format, known)));
    }
  }
  const std::string folder = parent_of(destination.path);
  if (folder != "." && !session.files.is_directory(folder)) {
    throw world::MissingError(
        fmt::format("{} can't be written: there is no folder {}", destination.path, folder));
  }
  return destination;
}

void put(const std::string& text, const Destination& destination, Session& session) {
  if (destination.path.empty()) {
    session.out << text;
  } else {
    session.files.write_atomically(destination.path, text);
    session.err << fmt::format("epwise: wrote {}\n", destination.path);
  }
}

report::Style style_for(const Destination& destination,
                        const Arguments& arguments,
                        const Session& session) {
  report::Style style = style_of(arguments, session);
  if (!destination.path.empty()) {
    style.colour = false;
    style.hyperlinks = false;
  }
  return style;
}

ExitCode answer(Session& session, const Arguments& arguments, const AdvisedJob& job) {
  const Destination destination = destination_of(session, arguments);
  const report::AnsweredWhyNot answered{
      job.recipe().path,
      job.target_text(),
      advise::why_not(job.world(), advise::knowledge(), edit_of(*arguments.one("--why-not"), job))};
  put(destination.format == "json"
          ? report::why_not_json(answered)
          : report::why_not_text(answered, style_for(destination, arguments, session)),
      destination,
      session);
  return answered.answer.legality.legal ? ExitCode::clean : ExitCode::findings;
}

/// The recipes of --among, lowered on the same target.
void add_contenders(Session& session,
                    const Arguments& arguments,
                    std::vector<SimulatedJob>& jobs,
                    advise::Request& request) {
  Simulator simulator(session, arguments);
  for (const Setting& path : arguments.all("--among")) {
    jobs.push_back(simulator.run(path.value, true));
  }
  for (const SimulatedJob& job : jobs) {
    if (!job.report.prediction) {
      throw world::MissingError(fmt::format(
          "{} can't be predicted; `epwise simulate` says what is missing", job.report.path));
    }
    request.contenders.push_back({job.report.path,
                                  std::make_shared<const sim::StepWork>(sim::lower(
                                      *job.workload, job.machine, job.constants, job.stated))});
  }
}

ExitCode write_first(Session& session,
                     const Arguments& arguments,
                     const AdvisedJob& job,
                     const advise::Advice& advice) {
  const repair::Draft before = job.bench().draft();
  const bool plan = !advice.plans.empty() && advice.plans.front().obstacle.empty();
  const repair::Draft* after = plan ? &advice.plans.front().draft : &advice.mended;
  if (after->bytes == before.bytes) {
    session.err << "epwise: no plan changes the file: nothing is written\n";
    return ExitCode::clean;
  }
  const std::string& path = arguments.operands.front();
  if (session.files.read(path) != before.bytes) {
    throw world::MissingError(
        fmt::format("{} was changed by somebody else in the meantime: nothing is written", path));
  }
  session.files.write_atomically(path, after->bytes);
  session.err << fmt::format(
      "epwise: {}: {} written\n", path, plan ? "the first plan is" : "the repairs are");
  return ExitCode::clean;
}

void show_diff(Session& session, const AdvisedJob& job, const advise::Advice& advice) {
  if (advice.plans.empty()) {
    session.out << advice.repair_diff;
    return;
  }
  const repair::Draft before = job.bench().draft();
  const std::string name = job.bench().request.file ? job.bench().request.file->name() : "";
  session.out << text::unified_diff(name, before.bytes, advice.plans.front().draft.bytes);
}

void print(Session& session,
           const Arguments& arguments,
           const AdvisedJob& job,
           const report::AdvisedRecipe& recipe) {
  const Destination destination = destination_of(session, arguments);
  if (arguments.flag("--diff")) {
    show_diff(session, job, recipe.advice);
  } else if (destination.format == "json") {
    put(report::advise_json(recipe), destination, session);
  } else if (destination.format == "markdown") {
    put(report::advise_markdown(recipe), destination, session);
  } else if (destination.format == "html") {
    put(report::advise_html(recipe), destination, session);
  } else {
    put(report::advise_text(recipe, style_for(destination, arguments, session)),
        destination,
        session);
  }
}

Advised advise_recipe(Session& session, const Arguments& arguments) {
  const bool words_only = arguments.operands.empty();
  const AdvisedJob job(session, arguments, words_only ? "" : arguments.operands.front());
  if (arguments.one("--why-not")) {
    return {answer(session, arguments, job), {}};
  }
  destination_of(session, arguments);  // wrong ones are told before the search
  advise::Request request = advise_request(session, arguments, *job.bench().target.hw);
  request.calibration = job.calibration();
  std::vector<SimulatedJob> rivals;
  add_contenders(session, arguments, rivals, request);
  const Awaiting ending(session.interruption);
  if (session.interruption != nullptr) {
    request.stop = &session.interruption->wanted;
  }
  SearchProgress progress(session.terminal.err ? &session.err : nullptr);
  request.progress = [&](std::size_t done, std::size_t /*planned*/) { progress.tell(done); };
  std::vector<std::string> strangers;
  report::AdvisedRecipe recipe{job.recipe().path, job.target_text(), "", 0, {}};
  recipe.advice = advise::advise(job.world(), advise::knowledge(), request, strangers);
  progress.end();
  if (!strangers.empty()) {
    const std::vector<std::string> words = advise::words_of(advise::knowledge());
    const std::vector<std::string_view> names(words.begin(), words.end());
    throw world::UsageError(fmt::format("--keep and --may-change know no `{}`{}",
                                        strangers.front(),
                                        text::did_you_mean(strangers.front(), names)));
  }
  const advise::Advice& advice = recipe.advice;
  print(session, arguments, job, recipe);
  if (!advice.present) {
    return {ExitCode::findings, {}};
  }
  Advised advised;
  if (!advice.plans.empty() && advice.plans.front().obstacle.empty()) {
    advised.planned = advice.plans.front().draft.bytes;
  }
  if (arguments.flag("--write") && !words_only) {
    advised.code = write_first(session, arguments, job, advice);
  }
  return advised;
}

ExitCode run(Session& session, const Arguments& arguments) {
  if (arguments.operands.size() > 1) {
    throw world::UsageError("one recipe at a time; --among ranks others beside it");
  }
  if (!arguments.operands.empty() || !arguments.words.empty()) {
    return advise_recipe(session, arguments).code;
  }
  if (!can_ask(session, arguments)) {
    throw world::UsageError(
        "which recipe? `epwise advise recipe.yaml --hw h100 --gpus 64`\n"
        "without one epwise asks for model, hardware and GPUs, but only on a terminal");
  }
  if (arguments.flag("--write") || arguments.flag("--diff") || arguments.one("--why-not")) {
    throw world::UsageError("--write, --diff and --why-not need a recipe");
  }
  return interview_for_advice(session, arguments, advise_recipe);
}

std::vector<Option> advise_options() {
  std::vector<Option> options = simulation_options({"full", "json"});
  for (Option& option : options) {
    if (option.name == "--format") {
      option.value = "NAME[=PATH]";
      option.summary = "full (default), json, markdown or html; =PATH writes a file";
      option.words = {};
      option.completion = Completion::nothing;
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
       .summary = "a field or group that stays: mapping, moe_router_dtype, ..."},
      {.name = "--may-change",
       .arity = Option::Arity::many,
       .value = "NAME",
       .summary = "only these may change: dispatcher, overlap, precision, a field, ...",
       .brief = true},
      {.name = "--top",
       .arity = Option::Arity::one,
       .value = "N",
       .summary = "how many plans (default 5)"},
      {.name = "--profile",
       .arity = Option::Arity::one,
       .value = "FILE",
       .summary = "what was measured of this recipe: times in YAML, or an nsys SQLite export",
       .completion = Completion::files},
      {.name = "--among",
       .arity = Option::Arity::many,
       .value = "FILE",
       .summary = "a recipe to rank beside this one and its plans",
       .completion = Completion::files},
      {.name = "--why-not",
       .arity = Option::Arity::one,
       .value = "FIELD=VALUE",
       .summary = "what forbids a value, or what it costs",
       .brief = true},
      {.name = "--diff", .summary = "print the diff of the first plan alone", .brief = true},
      {.name = "--write", .summary = "apply the first plan to the file", .brief = true},
  };
  options.insert(options.end(), own.begin(), own.end());
  return options;
}

}  // namespace

Command advise_command() {
  return {.name = "advise",
          .usage = "advise [OPTION...] [FILE] [-- WORD...]",
          .summary = "say which dispatcher, SMs, overlap and graphs a recipe should run with",
          .examples = {{"advise recipe.yaml --hw gb200 --gpus 256", "everything"},
                       {"advise recipe.yaml --hw h100 --gpus 64 --may-change dispatcher,overlap",
                        "leave the rest alone"},
                       {"advise recipe.yaml --hw h100 --gpus 64 --why-not moe_flex_dispatcher_"
                        "backend=deepep",
                        "what speaks against it?"},
                       {"advise recipe.yaml --hw h100 --gpus 64 --diff", "a patch to apply"},
                       {"advise", "no recipe yet: answer a few questions"},
                       {"advise slow.yaml --among fast.yaml --hw h100 --gpus 64",
                        "rank given recipes beside the plans"}},
          .options = advise_options(),
          .exits = {{ExitCode::clean, "advised, also when nothing is better than the recipe"},
                    {ExitCode::findings,
                     "facts are missing, or what --why-not asks about is not legal"}},
          .about = kAbout,
          .operands = Completion::files,
          .takes_words = true,
          .run = run};
}

}  // namespace epwise::cli
