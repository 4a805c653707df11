#include "commands/advise/advising.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ostream>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/core.h>
#include <fmt/format.h>

#include "advise/profile_database.h"
#include "base/os/regular_files.h"
#include "base/text/ascii.h"
#include "base/text/spelling.h"
#include "lint/spelling_fixes.h"
#include "perf/cost/compiled_table.h"
#include "recipe/load.h"
#include "recipe/trainers/trainer_facts.h"
#include "session/target/resolution.h"
#include "ui/prediction_text.h"
#include "ui/single_recipe.h"
#include "yaml/parse.h"

namespace epwise::cli {

namespace {

using os::UsageError;

/// Values of repeated options that may also contain several, separated by commas.
std::vector<std::string> words_between_commas(const std::vector<Setting>& settings) {
  std::vector<std::string> words;
  for (const Setting& setting : settings) {
    std::string_view rest = setting.value;
    while (!rest.empty()) {
      const std::size_t comma = rest.find(',');
      words.emplace_back(rest.substr(0, comma));
      rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    }
  }
  return words;
}

/// Throws os::UsageError for a word after `--` that is not a setting: what the user meant to change
/// would stay as it is.
void check_words(const Analysis& recipe) {
  constexpr std::array<std::string_view, 3> kUnknown = {
      "recipe/override", "recipe/unknown-key", "flags/unrecognized"};
  for (const lint::Finding& finding : recipe.result.findings) {
    const bool in_words = !finding.primary.mark.nowhere() &&
                          finding.primary.mark.file->name() == recipe::kCommandLine;
    if (in_words && text::is_one_of(finding.rule->id, kUnknown)) {
      throw UsageError(fmt::format("{} ({})", finding.message, finding.rule->code));
    }
  }
}

/// Hardware and number of GPUs must be known.
Analysis checked(Analysis recipe, const std::string& path) {
  check_words(recipe);
  const std::string name = path.empty() ? "recipe.yaml" : path;
  if (recipe.target->hw == nullptr) {
    throw UsageError(
        fmt::format("no hardware given: `epwise advise {} --hw h100 --gpus 64`", name));
  }
  if (!recipe.target->gpus) {
    throw UsageError(fmt::format("no number of GPUs given: `epwise advise {} --hw {} --gpus 64`",
                                 name,
                                 recipe.target->hw->name));
  }
  return recipe;
}

/// An Nsight Systems export, checked against the target.
advise::Measured measured_in_database(const Console& console,
                                      const std::string& path,
                                      const hw::Profile& hw) {
  if (console.files.is_file(path + "-wal") &&
      !os::read_regular(console.files, path + "-wal", 1).empty()) {
    throw os::MissingError(
        fmt::format("{0} has uncommitted changes in {0}-wal: close the program that writes to it, "
                    "or export it again",
                    path));
  }
  const advise::RunProfile profile = advise::read_profile_database(path);
  const hw::Profile* device = hw::find_profile_of_device(profile.device);
  if (device != nullptr && device->name != hw.name) {
    throw UsageError(
        fmt::format("{} was recorded on {}, but --hw is {}: measurement and prediction must be for "
                    "the same machine",
                    path,
                    device->name,
                    hw.name));
  }
  const advise::RunFigures figures = advise::figures_of(profile);
  if (!figures.problem.empty()) {
    throw os::MissingError(fmt::format("{}: {}", path, figures.problem));
  }
  return advise::measured_of(figures);
}

advise::Measured measured_in(const Console& console,
                             const std::string& path,
                             const hw::Profile& hw) {
  constexpr std::size_t kMagic = 64;
  if (advise::is_database(os::read_regular(console.files, path, kMagic))) {
    return measured_in_database(console, path, hw);
  }
  if (path.ends_with(".nsys-rep") || path.ends_with(".qdrep")) {
    throw os::MissingError(fmt::format(
        "{} is an Nsight Systems report; convert it with `nsys export --type sqlite {}`",
        path,
        path));
  }
  if (path.ends_with(".sqlite") || path.ends_with(".db")) {
    throw os::MissingError(fmt::format(
        "{} is not an SQLite database; create one with `nsys export --type sqlite`", path));
  }
  const text::SourceFile file(path, os::read_regular(console.files, path, yaml::Limits{}.bytes));
  std::vector<text::Diagnostic> problems;
  advise::Measured measured = advise::read_measured(file, problems);
  if (!problems.empty()) {
    const text::Diagnostic& first = problems.front();
    throw os::MissingError(fmt::format(
        "{}:{}: {}", path, first.mark.nowhere() ? 1 : first.mark.start().line, first.message));
  }
  return measured;
}

expr::Value setting_value(std::string_view text) {
  const bool quoted = text.size() > 1 && text.front() == text.back() &&
                      (text.front() == '\'' || text.front() == '"');
  if (quoted) {
    return expr::Value::of(text.substr(1, text.size() - 2));
  }
  if (text == "true" || text == "false") {
    return expr::Value::of(text == "true");
  }
  if (text == "null" || text == "none") {
    return expr::Value::unset();
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) {
    return expr::Value::of(number);
  }
  double real = 0;
  const auto [last, failure] = std::from_chars(text.data(), text.data() + text.size(), real);
  if (failure == std::errc() && last == text.data() + text.size() && std::isfinite(real)) {
    return expr::Value::of(real);
  }
  if (text.starts_with('[') && text.ends_with(']')) {
    expr::Value::List items;
    for (const std::string& word :
         words_between_commas({{std::string(text.substr(1, text.size() - 2)), ""}})) {
      items.push_back(setting_value(
          std::string_view(word).substr(std::min(word.find_first_not_of(' '), word.size()))));
    }
    return expr::Value::of(std::move(items));
  }
  return expr::Value::of(text);
}

/// Whether a word stands for itself: "8" for a variable, "none" for a field that knows this word.
bool is_text(std::string_view word, std::string_view field, const recipe::FieldSpec* spec) {
  if (field.starts_with("env.")) {
    return word != "null";
  }
  return spec != nullptr &&
         (std::ranges::find(spec->choices, word) != spec->choices.end() ||
          (spec->default_value.text() != nullptr && *spec->default_value.text() == word));
}

/// The canonical name of a path in a trainer's configuration, which answers spell; empty if none.
std::string name_of_path(std::string_view path, const AdvisedJob& job) {
  if (!recipe::has_trainer(job.recipe())) {
    return {};
  }
  for (const std::string_view name : job.base().vocabulary().names()) {
    if (recipe::trainer_path(job.recipe(), name) == path) {
      return std::string(name);
    }
  }
  return {};
}

/// The canonical name of a field as users may write it: in full, its last part, a flag.
std::string field_name(const Setting& question, std::string word, const AdvisedJob& job) {
  const recipe::Vocabulary& vocabulary = job.base().vocabulary();
  if (word.starts_with("--")) {
    const auto* flag = vocabulary.flag(word);
    word = flag == nullptr ? word.substr(2) : std::string(flag->attribute);
    std::ranges::replace(word, '-', '_');
  }
  if (word.starts_with("env.") || vocabulary.find(word) != nullptr) {
    return word;
  }
  if (std::string variable = "env." + word;
      job.base().knowledge().names.find(variable).has_value()) {
    return variable;
  }
  if (const auto* spec = vocabulary.find_attribute(word)) {
    return std::string(spec->name);
  }
  if (std::string name = name_of_path(word, job); !name.empty()) {
    return name;
  }
  // a field of a move that only other versions have
  const std::vector<std::string> moved = advise::words_of(advise::knowledge());
  for (const std::string& name : moved) {
    const std::size_t dot = name.find('.');
    if (dot != std::string::npos && (name == word || name.substr(dot + 1) == word)) {
      return name;
    }
  }
  const std::vector<std::string_view> names = vocabulary.names();
  const auto is_meant = [&](std::string_view name) {
    return name.substr(name.find('.') + 1) == word;
  };
  // of several sections with such a key, one that the recipe writes
  for (const bool written : {true, false}) {
    for (const std::string_view name : names) {
      if (is_meant(name) && (!written || job.recipe().find(name) != nullptr)) {
        return std::string(name);
      }
    }
  }
  std::vector<std::string_view> lasts(names.size());
  std::ranges::transform(
      names, lasts.begin(), [](std::string_view name) { return name.substr(name.find('.') + 1); });
  throw UsageError(
      fmt::format("{}: no field `{}`{}", question.source, word, text::did_you_mean(word, lasts)));
}

}  // namespace

AdvisedJob::AdvisedJob(Console& console, const Arguments& arguments, const Source& source)
    : workspace_(console.host(), given_by(arguments)),
      recipe_(checked(analyze_one(workspace_.open(source)),
                      source.words_only || source.text ? "" : source.path)),
      laws_(cost::compiled_table()),
      simulator_(console, arguments, workspace_),
      constants_(simulator_.constants(recipe_.target->hw->name)),
      world_{.base = recipe_,
             .laws = laws_,
             .constants = constants_,
             .inputs = input_texts(recipe_),
             .measured = simulator_.measured(recipe_.target->hw->name),
             .level = simulator_.level(recipe_)} {}

std::optional<sim::CalibrationEffect> AdvisedJob::calibration() const {
  return simulator_.calibration(recipe_.target->hw->name);
}

std::string AdvisedJob::target_text() const {
  return describe(*recipe_.target, recipe_.recipe->framework);
}

namespace {

/// Throws os::UsageError for a name that --keep and --may-change do not have.
void check_names(const advise::Freedom& freedom) {
  const std::vector<std::string> strangers = advise::strangers_of(advise::knowledge(), freedom);
  if (strangers.empty()) {
    return;
  }
  const std::vector<std::string> words = advise::words_of(advise::knowledge());
  const std::vector<std::string_view> names(words.begin(), words.end());
  std::vector<std::string> groups;
  for (const advise::Axis& axis : advise::knowledge().axes) {
    if (std::ranges::find(groups, axis.group) == groups.end()) {
      groups.push_back(axis.group);
    }
  }
  throw UsageError(
      fmt::format("unknown name for --keep or --may-change: `{}`{} (the groups are {}; the global "
                  "batch and the model never change)",
                  strangers.front(),
                  text::did_you_mean(strangers.front(), names),
                  fmt::join(groups, ", ")));
}

}  // namespace

advise::Request advise_request(const Console& console,
                               const Arguments& arguments,
                               const hw::Profile& hw) {
  advise::Request request;
  if (const auto path = arguments.one("--profile")) {
    request.measured = measured_in(console, path->value, hw);
  }
  const std::string goal = arguments.text_of("--goal", "speed");
  request.goal = goal == "memory" ? advise::Goal::memory
                 : goal == "safe" ? advise::Goal::safe
                                  : advise::Goal::speed;
  request.freedom.keep = words_between_commas(arguments.all("--keep"));
  request.freedom.may_change = words_between_commas(arguments.all("--may-change"));
  for (const std::string& word : request.freedom.keep) {
    if (std::ranges::find(request.freedom.may_change, word) != request.freedom.may_change.end()) {
      throw UsageError(fmt::format("--keep and --may-change both name `{}`; choose one", word));
    }
  }
  for (const std::string_view option : {"--keep", "--may-change"}) {
    for (const Setting& setting : arguments.all(option)) {
      if (setting.value.empty()) {  // an unset shell variable must not lift a restriction
        throw UsageError(fmt::format("{}: expected a name, not an empty text", setting.source));
      }
    }
  }
  check_names(request.freedom);
  if (const auto top = arguments.one("--top")) {
    constexpr std::size_t kMost = 50;
    std::size_t number = 0;
    const std::string& text = top->value;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > kMost) {
      throw UsageError(
          fmt::format("{}: expected a number from 1 to 50, not `{}`", top->source, text));
    }
    request.top = number;
  }
  constexpr unsigned kMostWorkers = 8;
  request.workers = std::clamp(std::thread::hardware_concurrency(), 1U, kMostWorkers);
  return request;
}

namespace {

/// Why a recipe would not run as it is; may be empty.
std::string obstacles_to(const SimulatedJob& job) {
  std::string text;
  if (job.report.lint_errors > 0) {
    text = fmt::format("lint finds {}", report::counted(job.report.lint_errors, "error"));
  }
  const sim::Prediction& now = *job.report.prediction;
  if (now.out_of_memory > advise::kMostMemoryRisk) {
    text += fmt::format("{}it needs {} of {}",
                        text.empty() ? "" : ", ",
                        report::gib_text(now.needed_memory.value),
                        report::gib_text(now.memory_limit));
  }
  return text;
}

/// The recipes of --among, lowered for the same target.
void add_contenders(Console& console,
                    const Arguments& arguments,
                    std::vector<SimulatedJob>& jobs,
                    advise::Request& request) {
  Workspace workspace(console.host(), given_by(arguments));
  Simulator simulator(console, arguments, workspace);
  for (const Setting& path : arguments.all("--among")) {
    jobs.push_back(simulator.run(path.value, true));
  }
  for (const SimulatedJob& job : jobs) {
    if (!job.report.prediction) {
      throw os::MissingError(fmt::format(
          "cannot predict {}; `epwise simulate` lists the missing facts", job.report.path));
    }
    request.contenders.push_back({job.report.path,
                                  std::make_shared<const sim::StepWork>(sim::lower(
                                      *job.workload, job.machine, job.constants, job.stated)),
                                  obstacles_to(job)});
  }
}

}  // namespace

report::AdvisedRecipe advised_recipe(const AdvisedJob& job) {
  report::AdvisedRecipe recipe;
  recipe.path = job.recipe().path;
  recipe.target = job.target_text();
  recipe.against = report::checked_against(job.base().result, recipe.target);
  recipe.accepted = report::accepted_stop(job.base().result);
  return recipe;
}

namespace {

/// Throws os::UsageError for a measured step that no GPU of this kind can make of this recipe.
void check_measured(const advise::Advice& advice) {
  if (!advice.anchor || advice.diagnosis.arithmetic <= 0) {
    return;
  }
  const double least = advice.diagnosis.arithmetic * advice.anchor->predicted;
  if (advice.anchor->measured < least) {
    throw UsageError(fmt::format(
        "--profile: a step of {} was measured, but at the GPU's peak rate the arithmetic of this "
        "recipe alone takes {}: the measurement is of another recipe, GPU or number of GPUs",
        report::seconds_text(advice.anchor->measured),
        report::seconds_text(least)));
  }
}

}  // namespace

report::AdvisedRecipe advice_on(const AdvisedJob& job,
                                Console& console,
                                const Arguments& arguments) {
  advise::Request request = advise_request(console, arguments, *job.base().target->hw);
  request.calibration = job.calibration();
  std::vector<SimulatedJob> rivals;
  add_contenders(console, arguments, rivals, request);
  const Awaiting ending(console.interruption);
  if (console.interruption != nullptr) {
    request.stop = &console.interruption->wanted;
  }
  SearchProgress progress(console.terminal.err ? &console.err : nullptr);
  request.progress = [&](std::size_t done, std::size_t /*planned*/) { progress.tell(done); };
  report::AdvisedRecipe recipe = advised_recipe(job);
  recipe.advice = advise::advise(job.world(), advise::knowledge(), request);
  progress.end();
  check_measured(recipe.advice);
  return recipe;
}

namespace {

/// Throws os::UsageError for a whole section, unless a preset's name can stand for it, and for a field
/// of a section for which such a name stands.
///   "ddp=null"; "mixed_precision.fp8=hybrid" beside `mixed_precision: bf16_mixed`
void check_section(const Setting& question, const advise::Edit& edit, const AdvisedJob& job) {
  const std::size_t dot = edit.field.find('.');
  const std::string section = edit.field.substr(0, dot);
  const bool whole = dot == std::string::npos && job.base().vocabulary().has_section(section);
  const bool preset = std::ranges::any_of(
      advise::knowledge().axes, [&](const advise::Axis& axis) { return axis.sets(section); });
  if (whole && (!preset || edit.value.text() == nullptr)) {
    throw UsageError(fmt::format("{}: {} is a section: ask for one of its fields, {}.NAME=VALUE",
                                 question.source,
                                 section,
                                 section));
  }
  const recipe::Field* written = job.recipe().find(section);
  if (dot != std::string::npos && written != nullptr && written->value.text() != nullptr) {
    throw UsageError(fmt::format("{}: {} is {}, so there is no {}: ask for {}=PRESET",
                                 question.source,
                                 section,
                                 *written->value.text(),
                                 edit.field,
                                 section));
  }
}

}  // namespace

advise::Edit edit_of(const Setting& question, const AdvisedJob& job) {
  const std::size_t sign = question.value.find('=');
  if (sign == std::string::npos || sign == 0) {
    throw UsageError(
        fmt::format("{}: expected FIELD=VALUE, not `{}`", question.source, question.value));
  }
  advise::Edit edit;
  edit.field = field_name(question, question.value.substr(0, sign), job);
  const std::string_view word = std::string_view(question.value).substr(sign + 1);
  const auto* spec = job.base().vocabulary().find(edit.field);
  edit.value = is_text(word, edit.field, spec) ? expr::Value::of(word) : setting_value(word);
  check_section(question, edit, job);
  if (spec != nullptr && spec->type.kind == expr::Kind::list && edit.value.text() != nullptr) {
    edit.value =
        expr::Value::of(expr::Value::List{edit.value});  // as a flag that takes several words
  }
  const bool whole = spec != nullptr && spec->type.kind == expr::Kind::integer;
  const bool typed = whole || (spec != nullptr && spec->type.kind == expr::Kind::boolean);
  const bool broken =
      edit.value.is_number() && edit.value.as_number() != std::floor(edit.value.as_number());
  if ((typed && edit.value.text() != nullptr) || (whole && broken)) {
    throw UsageError(fmt::format("{}: {} takes {}, not `{}`",
                                 question.source,
                                 spec->name,
                                 whole ? "an integer" : "true or false",
                                 edit.value.to_text()));
  }
  // the removal of a flag, or of a field that is null by default; of any other, a null that is written
  const bool mlm = job.recipe().framework == recipe::Framework::mlm;
  edit.drop = edit.value.is_unset() && (mlm || spec == nullptr || spec->default_value.is_unset());
  return edit;
}

namespace {

constexpr double kSearchDelay = 0.5;  // seconds before anything is shown
constexpr double kSearchPause = 0.2;  // between two updates of the line
constexpr std::string_view kClearSearchLine = "\r\x1b[K";

}  // namespace

std::string search_text(std::size_t done, std::size_t most, double left) {
  constexpr std::size_t kWidth = 20;
  const std::size_t whole = std::max<std::size_t>(std::max(done, most), 1);
  const std::size_t full = done * kWidth / whole;
  return fmt::format("searching [{}{}] {} of up to {} combinations, up to {:.0f} s left",
                     std::string(full, '#'),
                     std::string(kWidth - full, '.'),
                     done,
                     whole,
                     std::ceil(std::max(left, 0.0)));
}

SearchProgress::SearchProgress(std::ostream* out, std::size_t most, Clock clock)
    : out_(out),
      most_(most),
      clock_(std::move(clock)),
      begin_(clock_()) {}

void SearchProgress::tell(std::size_t done) {
  const double now = clock_();
  if (out_ == nullptr || done == 0 || now - begin_ < kSearchDelay ||
      (shown_ && now - shown_at_ < kSearchPause)) {
    return;
  }
  const auto rest = static_cast<double>(std::max(most_, done) - done);
  const double left = rest * (now - begin_) / static_cast<double>(done);
  *out_ << kClearSearchLine << search_text(done, most_, left) << std::flush;
  shown_ = true;
  shown_at_ = now;
}

void SearchProgress::end() {
  if (shown_) {
    *out_ << kClearSearchLine << std::flush;
    shown_ = false;
  }
}

}  // namespace epwise::cli
