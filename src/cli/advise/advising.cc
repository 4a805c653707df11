#include "cli/advise/advising.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "advise/profile_database.h"
#include "cli/lint/linting.h"
#include "cli/target/options.h"
#include "cost/compiled_table.h"
#include "lint/field_spelling.h"
#include "text/spelling.h"
#include "yaml/parse.h"

namespace epwise::cli {

namespace {

using world::UsageError;

std::vector<std::string> input_texts(const RecipeOnTarget& recipe) {
  std::vector<std::string> texts;
  model::Workload job;
  sim::StatedInputs stated;
  for (const Setting& input : recipe.inputs()) {
    const std::string wrong = sim::state(input.value, job, stated);
    if (!wrong.empty()) {
      throw UsageError(fmt::format("{}: {}", input.source, wrong));
    }
    texts.push_back(input.value);
  }
  return texts;
}

/// Values of repeated options that may also hold several, separated by commas.
std::vector<std::string> words_of(const std::vector<Setting>& settings) {
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

const RecipeOnTarget& checked(const RecipeOnTarget& recipe, const std::string& path) {
  const std::string name = path.empty() ? "recipe.yaml" : path;
  if (recipe.target().hw == nullptr) {
    throw UsageError(fmt::format("on which GPUs? `epwise advise {} --hw h100 --gpus 64`", name));
  }
  if (!recipe.target().gpus) {
    throw UsageError(fmt::format(
        "on how many GPUs? `epwise advise {} --hw {} --gpus 64`", name, recipe.target().hw->name));
  }
  return recipe;
}

/// An export of Nsight Systems, held against the target.
advise::Measured measured_in_database(const Session& session,
                                      const std::string& path,
                                      const hw::Profile& hw) {
  if (session.files.is_file(path + "-wal") && !session.files.read(path + "-wal", 1).empty()) {
    throw world::MissingError(fmt::format(
        "{0} has changes in {0}-wal that are not in it yet: close what writes to it, or export it "
        "again",
        path));
  }
  const advise::RunProfile profile = advise::read_profile_database(path);
  const hw::Profile* device = hw::find_profile_of_device(profile.device);
  if (device != nullptr && device->name != hw.name) {
    throw UsageError(
        fmt::format("{} was recorded on {}, and --hw says {}: measured and predicted "
                    "would be of two machines",
                    path,
                    device->name,
                    hw.name));
  }
  const advise::RunFigures figures = advise::figures_of(profile);
  if (!figures.problem.empty()) {
    throw world::MissingError(fmt::format("{}: {}", path, figures.problem));
  }
  return advise::measured_of(figures);
}

advise::Measured measured_in(const Session& session,
                             const std::string& path,
                             const hw::Profile& hw) {
  constexpr std::size_t kMagic = 64;
  if (advise::is_database(session.files.read(path, kMagic))) {
    return measured_in_database(session, path, hw);
  }
  if (path.ends_with(".nsys-rep") || path.ends_with(".qdrep")) {
    throw world::MissingError(fmt::format(
        "{} is a report of Nsight Systems: `nsys export --type sqlite {}` writes what epwise reads",
        path,
        path));
  }
  if (path.ends_with(".sqlite") || path.ends_with(".db")) {
    throw world::MissingError(
        fmt::format("{} is no SQLite database; `nsys export --type sqlite` writes one", path));
  }
  const text::SourceFile file(path, session.files.read(path, yaml::Limits{}.bytes));
  std::vector<text::Diagnostic> problems;
  const advise::Measured measured = advise::read_measured(file, problems);
  if (!problems.empty()) {
    const text::Diagnostic& first = problems.front();
    throw world::MissingError(fmt::format(
        "{}:{}: {}", path, first.mark.nowhere() ? 1 : first.mark.start().line, first.message));
  }
  return measured;
}

expr::Value value_of(std::string_view text) {
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
  if (text.starts_with('[') && text.ends_with(']')) {
    expr::Value::List items;
    for (const std::string& word : words_of({{std::string(text.substr(1, text.size() - 2)), ""}})) {
      items.push_back(value_of(
          std::string_view(word).substr(std::min(word.find_first_not_of(' '), word.size()))));
    }
    return expr::Value::of(std::move(items));
  }
  return expr::Value::of(text);
}

/// The canonical name of a field as a person may write it: whole, its last part, a flag.
std::string field_name(const Setting& question, std::string word, const AdvisedJob& job) {
  const recipe::Vocabulary& vocabulary = job.bench().vocabulary_of(job.recipe());
  if (word.starts_with("--")) {
    const auto* flag = vocabulary.flag(word);
    word = flag == nullptr ? word.substr(2) : std::string(flag->attribute);
    std::ranges::replace(word, '-', '_');
  }
  if (word.starts_with("env.") || vocabulary.find(word) != nullptr) {
    return word;
  }
  if (const auto* spec = vocabulary.find_attribute(word)) {
    return std::string(spec->name);
  }
  const std::vector<std::string_view> names = vocabulary.names();
  for (const std::string_view name : names) {
    if (name.substr(name.find('.') + 1) == word) {
      return std::string(name);
    }
  }
  std::vector<std::string_view> lasts(names.size());
  std::ranges::transform(
      names, lasts.begin(), [](std::string_view name) { return name.substr(name.find('.') + 1); });
  throw UsageError(
      fmt::format("{}: no field `{}`{}", question.source, word, text::did_you_mean(word, lasts)));
}

}  // namespace

AdvisedJob::AdvisedJob(Session& session, const Arguments& arguments, const std::string& path)
    : recipe_(session, arguments, path, target_settings(arguments)),
      reading_(checked(recipe_, path).file() == nullptr && path.empty() && arguments.words.empty()
                   ? RecipeOnTarget::Reading{}
                   : recipe_.read()),
      bench_(recipe_.bench()),
      laws_(cost::compiled_table()),
      simulator_(session, arguments),
      constants_(simulator_.constants(recipe_.target().hw->name)),
      world_{.bench = bench_,
             .laws = laws_,
             .constants = constants_,
             .inputs = input_texts(recipe_),
             .measured = simulator_.measured(recipe_.target().hw->name)} {}

std::optional<sim::CalibrationEffect> AdvisedJob::calibration() const {
  return simulator_.calibration(recipe_.target().hw->name);
}

std::string AdvisedJob::target_text() const {
  return describe(recipe_.target(), reading_.recipe->framework);
}

advise::Request advise_request(const Session& session,
                               const Arguments& arguments,
                               const hw::Profile& hw) {
  advise::Request request;
  if (const auto path = arguments.one("--profile")) {
    request.measured = measured_in(session, path->value, hw);
  }
  const std::string goal = arguments.text_of("--goal", "speed");
  request.goal = goal == "memory" ? advise::Goal::memory
                 : goal == "safe" ? advise::Goal::safe
                                  : advise::Goal::speed;
  request.freedom.keep = words_of(arguments.all("--keep"));
  request.freedom.may_change = words_of(arguments.all("--may-change"));
  for (const std::string& word : request.freedom.keep) {
    if (std::ranges::find(request.freedom.may_change, word) != request.freedom.may_change.end()) {
      throw UsageError(fmt::format("--keep and --may-change both name `{}`: which is it?", word));
    }
  }
  if (const auto top = arguments.one("--top")) {
    constexpr std::size_t kMost = 50;
    std::size_t number = 0;
    const std::string& text = top->value;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > kMost) {
      throw UsageError(fmt::format("{}: a number from 1 to 50, not `{}`", top->source, text));
    }
    request.top = number;
  }
  constexpr unsigned kMostWorkers = 8;
  request.workers = std::clamp(std::thread::hardware_concurrency(), 1U, kMostWorkers);
  return request;
}

advise::Edit edit_of(const Setting& question, const AdvisedJob& job) {
  const std::size_t sign = question.value.find('=');
  if (sign == std::string::npos || sign == 0) {
    throw UsageError(fmt::format("{}: FIELD=VALUE, not `{}`", question.source, question.value));
  }
  advise::Edit edit;
  edit.field = field_name(question, question.value.substr(0, sign), job);
  edit.value = value_of(std::string_view(question.value).substr(sign + 1));
  edit.drop = edit.value.is_unset();
  return edit;
}

}  // namespace epwise::cli
