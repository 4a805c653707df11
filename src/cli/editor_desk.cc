#include "cli/editor_desk.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "cli/files/checkout.h"
#include "cli/files/neighbours.h"
#include "cli/files/places.h"
#include "cli/lint/baseline.h"
#include "cli/lint/calendar.h"
#include "cli/lint/linting.h"
#include "cli/lint/options.h"
#include "cli/settings/recipe_header.h"
#include "cli/settings/rules_source.h"
#include "cli/settings/run_settings.h"
#include "cli/settings/severities.h"
#include "cli/target/options.h"
#include "cli/version.h"
#include "model/launcher_target.h"
#include "text/spelling.h"
#include "waive/waivers.h"
#include "yaml/parse.h"

namespace epwise::cli {

namespace {

using recipe::Framework;
using world::UsageError;

constexpr const char* kEditor = "the editor's settings";
constexpr std::string_view kConfiguration = ".epwise.yaml";

bool is_configuration(const std::string& name) {
  return name.substr(name.rfind('/') + 1) == kConfiguration;
}

/// A YAML file that an editor has open need not be a recipe.
bool is_no_recipe(const std::vector<recipe::Recipe>& recipes) {
  return std::ranges::all_of(recipes, [](const recipe::Recipe& recipe) {
    return !recipe.readable &&
           std::ranges::all_of(recipe.diagnostics, [](const text::Diagnostic& diagnostic) {
             return diagnostic.rule == "recipe/unrecognized";
           });
  });
}

void add_wish(const std::vector<Option>& options,
              const std::string& name,
              const std::string& value,
              Arguments& arguments) {
  const auto found = std::ranges::find(options, "--" + name, &Option::name);
  if (found != options.end()) {
    arguments.add(found->name, {value, kEditor});
    return;
  }
  std::vector<std::string_view> names;
  for (const Option& option : options) {
    names.push_back(option.name.substr(2));
  }
  throw UsageError(
      fmt::format("{}: there is no `{}`{}", kEditor, name, text::did_you_mean(name, names)));
}

}  // namespace

std::vector<Option> editor_options() {
  std::vector<Option> options = target_options();
  for (const Option& option : selection_options()) {
    if (option.name != "--fail-on" && option.name != "--strict") {  // of exit codes
      options.push_back(option);
    }
  }
  const auto more = configuration_options();
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

EditorDesk::EditorDesk(const Session& session, const Arguments& arguments)
    : session_(session),
      arguments_(arguments),
      machine_(session),
      today_(today(session.variables)),
      given_target_(target_settings(arguments)) {
  configure();
  knowledge(arguments.one("--rules"));  // made before anybody waits for it
}

void EditorDesk::configure() {
  const std::string given = arguments_.text_of("--config");
  configurations_ = std::make_unique<ConfigurationSearch>(
      session_.files, wished_.text_of("--config", given), tool_version());
}

void EditorDesk::set(const editor::Wishes& wishes, const std::string& root) {
  const auto options = editor_options();
  Arguments wished;
  for (const auto& [name, value] : wishes) {
    const bool path = name == "base" || name == "rules" || (name == "config" && value != "none");
    add_wish(options, name, path && !root.empty() ? join(root, value) : value, wished);
  }
  TargetSettings target = target_settings(wished);
  wished_ = std::move(wished);
  wished_target_ = std::move(target);
  forget();
}

void EditorDesk::forget() {
  configure();
  std::erase_if(knowledge_, [](const auto& entry) { return !entry.first.empty(); });
}

std::string EditorDesk::name_of(const std::string& absolute) const {
  const auto here = session_.files.canonical(".");
  const auto relative = here ? below(*here, absolute) : std::nullopt;
  return relative.value_or(absolute);
}

std::shared_ptr<const lint::Knowledge> EditorDesk::knowledge(const std::optional<Setting>& folder) {
  auto& known = knowledge_[folder ? folder->value : ""];
  if (known == nullptr) {
    known = std::make_shared<const lint::Knowledge>(load_rules(session_, folder));
  }
  return known;
}

std::shared_ptr<const editor::Reading> EditorDesk::lint(
    const std::shared_ptr<const text::SourceFile>& file) {
  const auto reading = std::make_shared<editor::Reading>();
  reading->file = file;
  try {
    if (is_configuration(file->name())) {
      read_configuration(*file, parent_of(file->name()), reading->faults);
    } else {
      fill(*reading);
    }
  } catch (const UsageError& error) {
    reading->problem = error.what();
  } catch (const world::MissingError& error) {
    reading->problem = error.what();
  } catch (const std::exception& error) {
    reading->problem = fmt::format("internal error: {}", error.what());
  }
  // A file of something else is left alone, whatever is wrong with the configuration.
  const auto& stream = reading->request.stream;
  if (!reading->problem.empty() && stream && stream->readable && !recipe::sniff(*file)) {
    reading->problem.clear();
    reading->skipped = true;
  }
  return reading;
}

void EditorDesk::fill(editor::Reading& reading) {
  const std::string& path = reading.file->name();
  reading.request.stream = std::make_shared<const yaml::Stream>(yaml::parse(*reading.file));
  reading.request.file = reading.file;
  const auto& configuration = configurations_->find(path);
  const auto* entry = find_entry(session_.files,
                                 configuration,
                                 path,
                                 wished_.text_of("--target", arguments_.text_of("--target")));
  const RunSettings run =
      joined(run_settings(wished_), joined(run_settings(arguments_), configuration.run));
  reading.knowledge = knowledge(run.rules);
  reading.selection = selection_of(run, *reading.knowledge);
  const TargetSettings header = read_header(*reading.file);
  std::vector<const TargetSettings*> sources{&wished_target_, &given_target_, &header};
  if (entry != nullptr) {
    sources.push_back(&entry->settings);
  }
  sources.push_back(&configuration.target);
  const ResolvedTarget resolved = resolve_target(sources, *reading.knowledge, machine_);
  reading.target = resolved.target;
  reading.request.framework = resolved.framework;
  reading.request.base = base_file(resolved.base, session_.files);
  reading.request.environment = resolved.target.environment;
  const auto remember = [this, &reading](const std::shared_ptr<const text::SourceFile>& other) {
    const auto absolute = other ? session_.files.canonical(other->name()) : std::nullopt;
    if (absolute) {
      reading.paths[other.get()] = *absolute;
    }
    return other;
  };
  remember(reading.request.base);
  Neighbours neighbours = cli::neighbours(session_.files, path);
  reading.request.open = [remember, open = std::move(neighbours.open)](const std::string& name) {
    return remember(open(name));
  };
  reading.request.slip = std::move(neighbours.slip);
  lint(reading);
}

void EditorDesk::lint(editor::Reading& reading) {
  reading.vocabulary_for = [this,
                            bridge = framework_version(reading.target.stack, Framework::bridge),
                            mlm = framework_version(reading.target.stack, Framework::mlm)](
                               Framework framework,
                               std::string_view model_class) -> const recipe::Vocabulary& {
    return vocabularies_.get(framework, framework == Framework::bridge ? bridge : mlm, model_class);
  };
  auto recipes =
      recipe::load(reading.request, [&](Framework framework) -> const recipe::Vocabulary& {
        return reading.vocabulary_for(framework, {});
      });
  reading.skipped = is_no_recipe(recipes);
  if (reading.skipped) {
    return;
  }
  reading.accept = [known = reading.knowledge, today = today_](const recipe::Recipe& recipe,
                                                               const model::Target& target,
                                                               lint::Result& result) {
    waive::Waivers().accept(recipe, {*known, target, today}, result);
  };
  waive::Waivers waivers;
  const auto& configuration = configurations_->find(reading.file->name());
  const Severities severities(configuration.severity, *reading.knowledge);
  reading.sheets.reserve(recipes.size());
  std::vector<std::pair<const recipe::Recipe*, lint::Result*>> results;
  for (recipe::Recipe& loaded : recipes) {
    editor::Sheet sheet;
    sheet.recipe = std::make_shared<const recipe::Recipe>(std::move(loaded));
    const auto& general =
        reading.vocabulary_for(sheet.recipe->framework, sheet.recipe->model_class);
    sheet.vocabulary = &sheet.recipe->vocabulary_or(general);
    sheet.target = model::with_launcher(reading.target, *sheet.recipe);
    sheet.result =
        lint::lint(*sheet.recipe, general, sheet.target, *reading.knowledge, reading.selection);
    waivers.accept(*sheet.recipe, {*reading.knowledge, sheet.target, today_}, sheet.result);
    reading.sheets.push_back(std::move(sheet));
    results.emplace_back(reading.sheets.back().recipe.get(), &reading.sheets.back().result);
  }
  waivers.report(reading.selection, *reading.knowledge, results);
  for (editor::Sheet& sheet : reading.sheets) {
    severities.apply(sheet.result);
  }
  accept_known(configuration, reading);
}

/// Findings that a baseline knows are not shown while one edits, as a gate would not count them.
void EditorDesk::accept_known(const Configuration& configuration, editor::Reading& reading) const {
  if (!configuration.baseline) {
    return;
  }
  Baseline baseline = Baseline::read(session_.files, configuration.baseline->value);
  const report::Checkout checkout = find_checkout(session_.files);
  for (editor::Sheet& sheet : reading.sheets) {
    report::LintedFile file{sheet.recipe->path, sheet.recipe, std::move(sheet.result), {}, {}};
    baseline.accept(checkout, file);
    sheet.result = std::move(file.result);
  }
}

}  // namespace epwise::cli
