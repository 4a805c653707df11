#include <array>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "cli/commands/all.h"
#include "cli/lint/baseline.h"
#include "cli/lint/options.h"
#include "cli/manual/document.h"
#include "cli/settings/configuration_search.h"
#include "cli/settings/effective_settings.h"
#include "cli/settings/recipe_header.h"
#include "cli/settings/rules_source.h"
#include "cli/settings/run_settings.h"
#include "cli/settings/severities.h"
#include "cli/target/options.h"
#include "cli/target/recipe_on_target.h"
#include "cli/version.h"

namespace epwise::cli {

namespace {

using world::UsageError;

std::string value_of(const Arguments& arguments, std::string_view option) {
  const std::optional<Setting> setting = arguments.one(option);
  return setting ? setting->value : "";
}

std::string shown_rows(const std::vector<EffectiveSetting>& settings, bool origin) {
  std::size_t name = 0;
  std::size_t value = 0;
  for (const EffectiveSetting& setting : settings) {
    name = std::max(name, setting.name.size());
    value = std::max(value, setting.value.size());
  }
  std::string text;
  for (const EffectiveSetting& setting : settings) {
    text += origin ? fmt::format("  {:<{}}  {:<{}}  {}\n",
                                 setting.name,
                                 name,
                                 setting.value,
                                 value,
                                 setting.source)
                   : fmt::format("  {:<{}}  {}\n", setting.name, name, setting.value);
  }
  return text;
}

/// What a launch script or a trainer's settings say of GPUs, where the settings leave it open.
void take_launcher(const std::string& path,
                   Session& session,
                   const Arguments& arguments,
                   ResolvedTarget& resolved) {
  try {
    const RecipeOnTarget recipe(session, arguments, path, target_settings(arguments));
    const model::Target& found = recipe.target();
    if (!resolved.target.gpus) {
      resolved.target.gpus = found.gpus;
      resolved.target.gpus_source = found.gpus_source;
    }
    if (resolved.target.hw == nullptr) {
      resolved.target.hw = found.hw;
      resolved.target.hw_source = found.hw_source;
    }
  } catch (const world::MissingError&) {
    return;  // no recipe: its place alone counts
  }
}

/// What counts for one recipe; a path that does not exist is answered from its place alone.
std::string show_one(const std::string& path,
                     Session& session,
                     const Arguments& arguments,
                     ConfigurationSearch& search) {
  const Configuration& configuration = search.find(path);
  const TargetEntry* entry =
      find_entry(session.files, configuration, path, value_of(arguments, "--target"));
  const TargetSettings given = target_settings(arguments);
  TargetSettings header;
  if (session.files.is_file(path)) {
    header = read_header(text::SourceFile(path, session.files.read(path)));
  }
  std::vector<const TargetSettings*> sources{&given, &header};
  if (entry != nullptr) {
    sources.push_back(&entry->settings);
  }
  sources.push_back(&configuration.target);
  const RunSettings run = joined(run_settings(arguments), configuration.run);
  const lint::Knowledge knowledge = load_rules(session, run.rules);
  ResolvedTarget resolved = resolve_target(sources, knowledge, ThisMachine(session));
  if (session.files.is_file(path)) {
    take_launcher(path, session, arguments, resolved);
  }
  std::string text = fmt::format(
      "{}\n  configuration: {}\n", path, configuration.path.empty() ? "none" : configuration.path);
  if (entry != nullptr) {
    text += fmt::format(
        "  target: {} ({})\n", entry->name.empty() ? "without a name" : entry->name, entry->source);
  }
  return text + shown_rows(effective_settings(sources, resolved, run, configuration),
                           arguments.flag("--origin"));
}

ExitCode show(Session& session, const Arguments& arguments) {
  if (arguments.operands.size() < 2) {
    throw UsageError("for which recipe? `epwise config show recipe.yaml`");
  }
  ConfigurationSearch search(session.files, value_of(arguments, "--config"), tool_version());
  ExitCode code = ExitCode::clean;
  for (std::size_t i = 1; i < arguments.operands.size(); ++i) {
    const std::string& path = arguments.operands[i];
    session.out << show_one(path, session, arguments, search);
    if (!session.files.is_file(path)) {
      session.err << fmt::format("epwise: {} is not there: these are settings of its place\n",
                                 path);
      code = ExitCode::unreadable;
    }
  }
  return code;
}

/// Reads a configuration and looks up every name in it.
void check_one(const Configuration& configuration, const Session& session) {
  const lint::Knowledge knowledge = load_rules(session, configuration.run.rules);
  const ThisMachine machine(session);
  const TargetSettings& top = configuration.target;
  resolve_target(std::array{&top}, knowledge, machine);
  for (const TargetEntry& entry : configuration.targets) {
    resolve_target(std::array{&entry.settings, &top}, knowledge, machine);
  }
  selection_of(configuration.run, knowledge);
  const Severities severities(configuration.severity, knowledge);
  if (configuration.baseline) {
    Baseline::read(session.files, configuration.baseline->value);
  }
}

ExitCode check(Session& session, const Arguments& arguments) {
  std::vector<std::string> names(arguments.operands.begin() + 1, arguments.operands.end());
  if (names.empty()) {
    names.push_back(value_of(arguments, "--config"));
  }
  for (const std::string& name : names) {
    ConfigurationSearch search(session.files, name, tool_version());
    const Configuration& configuration = search.find("./recipe.yaml");
    if (configuration.path.empty()) {
      throw world::MissingError("no .epwise.yaml between here and the root of the repository");
    }
    check_one(configuration, session);
    session.out << "ok: " << configuration.path << '\n';
  }
  return ExitCode::clean;
}

ExitCode run(Session& session, const Arguments& arguments) {
  return arguments.operands.front() == "show" ? show(session, arguments)
                                              : check(session, arguments);
}

std::vector<Option> options() {
  std::vector<Option> result{
      {.name = "--origin", .summary = "also say where each value comes from", .brief = true}};
  for (const std::vector<Option>& more :
       {configuration_options(), target_options(), selection_options()}) {
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

}  // namespace

Command config_command() {
  return {.name = "config",
          .usage = "config show [--origin] FILE... | config check [CONFIGURATION...]",
          .summary = "show which settings count for a recipe, or check a configuration",
          .examples = {{"config show --origin recipe.yaml", "every value and who says it"},
                       {"config check", "the nearest .epwise.yaml"}},
          .options = options(),
          .actions = {"show", "check"},
          .run = run};
}

}  // namespace epwise::cli
