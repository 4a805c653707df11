#include "session/workspace.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include <fmt/core.h>
#include <fmt/format.h>

#include "base/os/files.h"
#include "base/os/regular_files.h"
#include "base/text/spelling.h"
#include "recipe/models/model_config.h"
#include "recipe/named/named_recipe.h"
#include "session/files/neighbours.h"
#include "session/options/run_options.h"
#include "session/options/target_options.h"
#include "session/settings/recipe_header.h"
#include "session/settings/rules_source.h"
#include "session/target/resolution.h"
#include "session/version.h"
#include "yaml/parse.h"

namespace epwise::session {

std::string today(const os::Variables& variables) {
  if (const auto said = variables.get("EPWISE_TODAY"); said && !said->empty()) {
    return *said;
  }
  const auto days = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  const std::chrono::year_month_day date(days);
  return fmt::format("{:04}-{:02}-{:02}",
                     static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

namespace {

using os::MissingError;
using recipe::Framework;

/// Words alone tell by their form whose they are.
Framework framework_of_words(const std::vector<std::string>& words) {
  const bool flags = !words.empty() && words.front().starts_with('-');
  return flags ? Framework::mlm : Framework::bridge;
}

/// A file, or the name of a recipe of Megatron-Bridge: of the release that the name says
/// (NAME@0.5.0), or of the one in the stack. Throws os::UsageError if it is neither.
std::shared_ptr<const text::SourceFile> read_base(const std::string& path,
                                                  const std::string& version,
                                                  const os::Files& files) {
  if (path.empty()) {
    return nullptr;
  }
  const bool is_file = files.is_file(path) || path.ends_with(".yaml") || path.ends_with(".yml");
  const recipe::RecipeName name = recipe::parse_recipe_name(path);
  const std::string release(
      recipe::Vocabulary::load(Framework::bridge, name.release.empty() ? version : name.release)
          .version());
  const recipe::RecipeBook& book = recipe::RecipeBook::embedded();
  if (is_file || book.names(release).empty()) {
    return std::make_shared<const text::SourceFile>(
        path, os::read_regular(files, path, yaml::Limits{}.bytes));
  }
  if (auto file = book.file(release, name.name)) {
    return file;
  }
  throw os::UsageError(fmt::format(
      "--base: `{}` is neither a file nor a recipe of Megatron-Bridge {}{} (see `epwise recipes "
      "list`)",
      path,
      release,
      text::did_you_mean(name.name, book.names(release))));
}

/// Puts what --model-config names into the request: a file, a folder's config.json, or a public
/// model.
void read_model_config(const std::string& path, const os::Files& files, recipe::Request& request) {
  if (path.empty()) {
    return;
  }
  const bool is_file = files.is_file(path);
  if (!is_file && !files.is_directory(path)) {
    if (!recipe::public_model(path)) {
      throw os::UsageError(
          fmt::format("--model-config: `{}` is not a config.json, a folder with one or a known "
                      "public model{} (see `epwise models list`)",
                      path,
                      recipe::similar_models(path)));
    }
    request.model_name = path;
    return;
  }
  const std::string file = is_file ? path : path + "/config.json";
  auto config = std::make_shared<const text::SourceFile>(
      file, os::read_regular(files, file, yaml::Limits{}.bytes));
  if (!recipe::read_model_config(*config)) {
    throw os::UsageError(
        fmt::format("--model-config: {} is not the config.json of a model: it lacks "
                    "hidden_size and num_attention_heads",
                    file));
  }
  request.model_config = std::move(config);
}

/// Reads config.json of a model from the cache of the Hugging Face hub, where its client looks:
///   $HF_HUB_CACHE/models--Qwen--Qwen3-8B/snapshots/<commit>/config.json
std::function<std::shared_ptr<const text::SourceFile>(const std::string& id)> cached_models(
    const Host& host) {
  std::string folder;
  if (const auto hub = host.variables.get("HF_HUB_CACHE")) {
    folder = *hub;
  } else if (const auto home = host.variables.get("HF_HOME")) {
    folder = *home + "/hub";
  } else if (const auto user = host.variables.get("HOME")) {
    folder = *user + "/.cache/huggingface/hub";
  }
  return [&files = host.files, folder](const std::string& id) {
    std::string name = id;
    if (const std::size_t slash = name.find('/'); slash != std::string::npos) {
      name.replace(slash, 1, "--");
    }
    const std::string snapshots = fmt::format("{}/models--{}/snapshots", folder, name);
    const bool plain = name.find('/') == std::string::npos && !folder.empty();
    for (const std::string& commit :
         plain ? os::list_if_possible(files, snapshots) : std::vector<std::string>()) {
      const std::string file = fmt::format("{}/{}/config.json", snapshots, commit);
      if (files.is_file(file)) {
        return std::make_shared<const text::SourceFile>(
            file, os::read_regular(files, file, yaml::Limits{}.bytes));
      }
    }
    return std::shared_ptr<const text::SourceFile>();
  };
}

recipe::Request request_for(const Source& source,
                            std::shared_ptr<const text::SourceFile> file,
                            const ResolvedTarget& resolved,
                            const Given& given,
                            const Host& host) {
  const os::Files& files = host.files;
  recipe::Request request;
  request.framework = resolved.framework;
  if (source.words_only && !request.framework) {
    request.framework = framework_of_words(given.words);
  }
  request.file = std::move(file);
  request.base =
      read_base(resolved.base, framework_version(resolved.target.stack, Framework::bridge), files);
  read_model_config(resolved.model_config, files, request);
  request.allowed_targets = resolved.allowed_targets;
  request.words = given.words;
  request.environment = resolved.target.environment;
  Neighbours neighbours = session::neighbours(files, source.path);
  request.open = std::move(neighbours.open);
  request.slip = std::move(neighbours.slip);
  request.refused = std::move(neighbours.refused);
  request.beside = std::move(neighbours.beside);
  request.cached_model = cached_models(host);
  if (given.choice.merge) {
    request.documents = recipe::Request::Documents::merge;
  }
  return request;
}

DocumentChoice choice_of(const Source& source, const Given& given) {
  const DocumentChoice& asked = given.choice;
  if (source.number == 0) {
    return asked;
  }
  if (asked.merge || (asked.number != 0 && asked.number != source.number)) {
    throw os::UsageError(
        fmt::format("{}#{} and --document choose different recipes: drop one of them",
                    source.path,
                    source.number));
  }
  return {.number = source.number};
}

/// The weakest source first: the last one counts.
std::vector<Setting> inputs_of(const std::vector<const TargetSettings*>& sources) {
  std::vector<Setting> inputs;
  for (auto source = sources.rbegin(); source != sources.rend(); ++source) {
    inputs.insert(inputs.end(), (*source)->inputs.begin(), (*source)->inputs.end());
  }
  return inputs;
}

}  // namespace

Given given_by(const Arguments& arguments) {
  Given given;
  given.targets = {target_settings(arguments)};
  given.run = run_settings(arguments);
  given.configuration = arguments.text_of("--config");
  given.entry = arguments.text_of("--target");
  given.baseline = arguments.one("--baseline");
  given.comments = !arguments.flag("--no-ignores");
  if (const auto document = arguments.one("--document")) {
    given.choice = parse_document(*document);
  }
  given.words = arguments.words;
  return given;
}

Workspace::Workspace(const Host& host, Given given)
    : host_(host),
      given_(std::move(given)),
      machine_(host),
      today_(today(host.variables)),
      configurations_(host.files, given_.configuration, tool_version()) {}

std::shared_ptr<const lint::Knowledge> Workspace::rules_in(const std::optional<Setting>& folder) {
  auto& known = knowledge_[folder ? folder->value : ""];
  if (known == nullptr) {
    known = folder ? std::make_shared<const lint::Knowledge>(load_rules(host_.files, folder))
                   : compiled_rules();
  }
  return known;
}

std::shared_ptr<const Baseline> Workspace::baseline_of(const Configuration& configuration) {
  const std::optional<Setting>& named = given_.baseline ? given_.baseline : configuration.baseline;
  if (!given_.baselines || !named || named->value == "none") {
    return nullptr;
  }
  auto& known = baselines_[named->value];
  if (known == nullptr) {
    known = std::make_shared<const Baseline>(Baseline::read(host_.files, named->value));
  }
  return known;
}

InputSettings Workspace::settle(const Configuration& configuration, const TargetEntry* entry) {
  InputSettings settings;
  settings.configuration = &configuration;
  settings.entry = entry;
  settings.run = joined(given_.run, configuration.run);
  settings.knowledge = rules_in(settings.run.rules);
  const lint::Knowledge& knowledge = *settings.knowledge;
  settings.selection = given_.selects ? selection_of(settings.run, knowledge) : lint::Selection();
  settings.selects_any = std::ranges::any_of(
      knowledge.rules, [&](const lint::Rule& rule) { return settings.selection.takes(rule); });
  settings.threshold = threshold_of(settings.run);
  if (!configuration.severity.empty()) {
    settings.severities = std::make_shared<const Severities>(configuration.severity, knowledge);
  }
  settings.baseline = baseline_of(configuration);
  return settings;
}

const InputSettings& Workspace::settings_of(const std::string& path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Configuration& configuration = configurations_.find(path);
  const TargetEntry* entry = find_entry(host_.files, configuration, path, given_.entry);
  const auto known = settings_.find({&configuration, entry});
  return known != settings_.end()
             ? known->second
             : settings_.emplace(std::pair(&configuration, entry), settle(configuration, entry))
                   .first->second;
}

std::shared_ptr<const lint::Knowledge> Workspace::knowledge(const RunSettings& run) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return rules_in(run.rules);
}

const Checkout& Workspace::checkout() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (checkout_ == nullptr) {
    checkout_ = std::make_shared<const Checkout>(find_checkout(host_.files));
  }
  return *checkout_;
}

std::vector<const TargetSettings*> Workspace::sources_of(const InputSettings& settings,
                                                         const TargetSettings& header) const {
  std::vector<const TargetSettings*> sources;
  for (const TargetSettings& given : given_.targets) {
    sources.push_back(&given);
  }
  sources.push_back(&header);
  if (settings.entry != nullptr) {
    sources.push_back(&settings.entry->settings);
  }
  sources.push_back(&settings.configuration->target);
  return sources;
}

std::shared_ptr<const text::SourceFile> Workspace::read(const Source& source) const {
  if (source.words_only) {
    return nullptr;
  }
  if (source.file != nullptr) {
    return source.file;
  }
  if (source.path.ends_with(".py")) {
    throw MissingError(
        fmt::format("{}: a Python recipe contains no YAML; dump it to a YAML file first (README, "
                    "\"Python recipes\")",
                    source.path));
  }
  return std::make_shared<const text::SourceFile>(
      source.path,
      source.text ? *source.text : host_.files.read(source.path, yaml::Limits{}.bytes));
}

std::shared_ptr<const Document> Workspace::open(const Source& source) {
  const InputSettings& settings = settings_of(source.path);
  auto document = std::make_shared<Document>();
  document->path = source.path;
  document->knowledge = settings.knowledge;
  document->selection = settings.selection;
  document->threshold = settings.threshold;
  document->acceptance = {given_.comments, today_, settings.severities, settings.baseline};
  const auto file = read(source);
  const TargetSettings header = file == nullptr ? TargetSettings{} : read_header(*file);
  const auto sources = sources_of(settings, header);
  ResolvedTarget resolved = resolve_target(sources, *document->knowledge, machine_);
  if (host_.remarks != nullptr) {
    for (NewerRelease& release :
         newer_releases(resolved.target.stack, document->knowledge->tables)) {
      host_.remarks->add(std::move(release));
    }
  }
  document->request = request_for(source, file, resolved, given_, host_);
  document->inputs = inputs_of(sources);
  document->target = std::move(resolved.target);
  document->vocabularies = vocabularies_;
  document->choice = choice_of(source, given_);
  return document;
}

}  // namespace epwise::session
