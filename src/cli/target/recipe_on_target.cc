#include "cli/target/recipe_on_target.h"

#include <algorithm>
#include <istream>
#include <iterator>
#include <utility>

#include <fmt/core.h>

#include "cli/format_option.h"
#include "cli/lint/linting.h"
#include "cli/lint/options.h"
#include "cli/settings/configuration_search.h"
#include "cli/settings/recipe_header.h"
#include "cli/settings/rules_source.h"
#include "cli/target/options.h"
#include "cli/version.h"
#include "model/launcher_target.h"
#include "recipe/launch/launch_script.h"
#include "recipe/load.h"
#include "recipe/trainers/trainer_format.h"
#include "yaml/parse.h"

namespace epwise::cli {

namespace {

using recipe::Framework;
using world::MissingError;
using world::UsageError;

/// Both names under which the version of a framework may be given decide how a recipe is read.
std::string versions_key(const recipe::Stack& stack) {
  return framework_version(stack, Framework::bridge) + " " +
         framework_version(stack, Framework::mlm);
}

/// A launch script, or the settings of a framework around Megatron. Bridge's dumps and
/// Megatron-LM's tests are told by their bytes, so that they are not parsed once more.
bool may_start_ranks(const text::SourceFile& file) {
  if (recipe::is_launch_script(file)) {
    return true;
  }
  const std::string_view bytes = file.bytes();
  if (bytes.find("_target_: megatron.bridge") != std::string_view::npos ||
      bytes.find("MODEL_ARGS:") != std::string_view::npos) {
    return false;
  }
  const yaml::Stream stream = yaml::parse(file);
  return std::ranges::any_of(stream.documents, [](const yaml::Document& document) {
    return recipe::trainer_format(document.root) != nullptr;
  });
}

}  // namespace

std::vector<Option> single_recipe_options() {
  std::vector<Option> result = target_options();
  result.push_back(format_option());
  for (const auto& more : {selection_options(), configuration_options()}) {
    result.insert(result.end(), more.begin(), more.end());
  }
  result.push_back({.name = "--document",
                    .arity = Option::Arity::one,
                    .value = "N|merge",
                    .summary = "of a file with several documents: one of them, or all as one"});
  return result;
}

RecipeOnTarget::RecipeOnTarget(Session& session,
                               const Arguments& arguments,
                               std::string path,
                               const TargetSettings& given)
    : path_(std::move(path)),
      words_(arguments.words) {
  if (const auto document = arguments.one("--document")) {
    const auto choice = parse_document(*document);
    document_ = choice.number;
    merge_ = choice.merge;
  }
  ConfigurationSearch configurations(session.files, arguments.text_of("--config"), tool_version());
  const auto& configuration = configurations.find(path_.empty() ? "<command line>" : path_);
  const auto* entry =
      find_entry(session.files, configuration, path_, arguments.text_of("--target"));
  const auto run = joined(run_settings(arguments), configuration.run);
  knowledge_ = load_rules(session, run.rules);
  file_ = source(session);
  const TargetSettings header = file_ == nullptr ? TargetSettings{} : read_header(*file_);
  std::vector<const TargetSettings*> sources{&given, &header};
  if (entry != nullptr) {
    sources.push_back(&entry->settings);
  }
  sources.push_back(&configuration.target);
  for (auto source = sources.rbegin(); source != sources.rend(); ++source) {
    inputs_.insert(inputs_.end(), (*source)->inputs.begin(), (*source)->inputs.end());
  }
  const ThisMachine machine(session);
  resolved_ = resolve_target(sources, knowledge_, machine);
  base_ = base_file(resolved_.base, session.files);
  neighbours_ = neighbours(session.files, path_);
  take_launcher();
  selection_ = selection_of(run, knowledge_);
  threshold_ = threshold_of(run);
}

std::shared_ptr<const text::SourceFile> RecipeOnTarget::source(Session& session) const {
  if (path_.empty()) {
    return nullptr;
  }
  if (path_ == "-") {
    return std::make_shared<const text::SourceFile>(
        "<stdin>",
        std::string(std::istreambuf_iterator<char>(session.in), std::istreambuf_iterator<char>()));
  }
  return std::make_shared<const text::SourceFile>(path_,
                                                  session.files.read(path_, yaml::Limits{}.bytes));
}

/// What a launch script or another trainer's settings say of GPUs counts where nothing else is
/// said; recipes of Bridge and Megatron-LM say nothing of them.
void RecipeOnTarget::take_launcher() {
  if (file_ == nullptr || !may_start_ranks(*file_)) {
    return;
  }
  const auto recipes = load(resolved_.target);
  const auto index = static_cast<std::size_t>(document_ == 0 ? 0 : document_ - 1);
  if (index < recipes.size()) {
    resolved_.target = model::with_launcher(resolved_.target, recipes[index]);
  }
}

RecipeOnTarget::Reading RecipeOnTarget::read(const model::Target& target) {
  const auto key = versions_key(target.stack);
  const auto known = std::ranges::find(readings_, key, &std::pair<std::string, Reading>::first);
  if (known != readings_.end()) {
    return known->second;
  }
  auto recipes = load(target);
  if (recipes.size() > 1 && document_ == 0) {
    throw UsageError(
        fmt::format("{} holds {} documents: choose one with --document N", path_, recipes.size()));
  }
  const auto index = static_cast<std::size_t>(document_ == 0 ? 0 : document_ - 1);
  if (index >= recipes.size()) {
    throw MissingError(fmt::format(
        "{}: there is no document {}, the file has {}", path_, document_, recipes.size()));
  }
  Reading reading;
  reading.recipe = std::make_shared<const recipe::Recipe>(std::move(recipes[index]));
  reading.vocabulary =
      &vocabularies_.get(reading.recipe->framework,
                         framework_version(target.stack, reading.recipe->framework),
                         reading.recipe->model_class);
  if (!reading.recipe->readable) {
    throw MissingError(fmt::format("{} can't be read as a recipe; `epwise lint` says why", path_));
  }
  readings_.emplace_back(key, reading);
  return reading;
}

repair::Bench RecipeOnTarget::bench() {
  const auto place = static_cast<std::size_t>(document_ == 0 ? 0 : document_ - 1);
  return {knowledge_,
          resolved_.target,
          selection_,
          [this](Framework framework, std::string_view model_class) -> const recipe::Vocabulary& {
            return vocabularies_.get(
                framework, framework_version(resolved_.target.stack, framework), model_class);
          },
          request_for(resolved_.target),
          place,
          static_cast<int>(place) + 1};
}

recipe::Request RecipeOnTarget::request_for(const model::Target& target) const {
  recipe::Request request;
  request.framework = resolved_.framework;
  if (file_ == nullptr && !resolved_.framework) {
    const bool flags = !words_.empty() && words_.front().starts_with('-');
    request.framework = flags ? Framework::mlm : Framework::bridge;
  }
  request.file = file_;
  request.base = base_;
  request.words = words_;
  request.environment = target.environment;
  request.open = neighbours_.open;
  request.slip = neighbours_.slip;
  if (merge_) {
    request.documents = recipe::Request::Documents::merge;
  }
  return request;
}

std::vector<recipe::Recipe> RecipeOnTarget::load(const model::Target& target) {
  return recipe::load(request_for(target), [&](Framework found) -> const recipe::Vocabulary& {
    return vocabularies_.get(found, framework_version(target.stack, found));
  });
}

}  // namespace epwise::cli
