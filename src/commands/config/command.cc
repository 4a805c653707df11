#include <array>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "commands/all.h"
#include "commands/config/actions.h"
#include "session/baseline.h"
#include "session/options/run_options.h"
#include "session/options/target_options.h"
#include "session/settings/configuration.h"
#include "session/settings/effective_settings.h"
#include "session/settings/recipe_header.h"
#include "session/settings/rules_source.h"
#include "session/settings/run_settings.h"
#include "session/workspace.h"
#include "ui/columns.h"
#include "ui/document.h"
#include "ui/lint_options.h"
#include "ui/version.h"

namespace epwise::cli {

namespace {

using os::UsageError;

std::string text_of_option(const Arguments& arguments, std::string_view option) {
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
    const std::string row =
        origin
            ? fmt::format(
                  "  {:<{}}  {:<{}}  {}", setting.name, name, setting.value, value, setting.source)
            : fmt::format("  {:<{}}  {}", setting.name, name, setting.value);
    text += report::printable(row, true) + "\n";
  }
  return text;
}

/// The GPUs of the recipe itself: a launch script and a trainer's settings specify some.
void take_launcher(const std::string& path, Workspace& workspace, ResolvedTarget& resolved) {
  try {
    const facts::Target found = *analyze(workspace.open({path, {}, false})).front().target;
    resolved.target.gpus = found.gpus;
    resolved.target.gpus_source = found.gpus_source;
    resolved.target.hw = found.hw;
    resolved.target.hw_source = found.hw_source;
  } catch (const os::MissingError&) {
    return;  // not a recipe: its place alone counts
  }
}

/// The settings for one recipe; for a path that does not exist, those for its location.
std::string show_one(const std::string& path,
                     Console& console,
                     const Arguments& arguments,
                     Workspace& workspace) {
  const session::InputSettings& settings = workspace.settings_of(path);
  const Configuration& configuration = *settings.configuration;
  TargetSettings header;
  if (console.files.is_file(path)) {
    header = read_header(text::SourceFile(path, console.files.read(path)));
  }
  const auto sources = workspace.sources_of(settings, header);
  ResolvedTarget resolved = resolve_target(sources, *settings.knowledge, workspace.machine());
  if (console.files.is_file(path)) {
    take_launcher(path, workspace, resolved);
  }
  std::string text = fmt::format(
      "{}\n  configuration: {}\n",
      report::printable(path, true),
      configuration.path.empty() ? "none" : report::printable(configuration.path, true));
  if (settings.entry != nullptr) {
    text += report::printable(
                fmt::format("  target: {} ({})",
                            settings.entry->name.empty() ? "without a name" : settings.entry->name,
                            settings.entry->source),
                true) +
            "\n";
  }
  return text + shown_rows(effective_settings(sources, resolved, settings.run, configuration),
                           arguments.flag("--origin"));
}

ExitCode show_settings(Console& console, const Arguments& arguments) {
  if (arguments.operands.size() < 2) {
    throw UsageError("no recipe given: `epwise config show recipe.yaml`");
  }
  Workspace workspace(console.host(), given_by(arguments));
  ExitCode code = ExitCode::clean;
  for (std::size_t i = 1; i < arguments.operands.size(); ++i) {
    const std::string& path = arguments.operands[i];
    console.out << show_one(path, console, arguments, workspace);
    if (!console.files.is_file(path)) {
      console.err << fmt::format(
          "epwise: {} does not exist: these are the settings for its location\n", path);
      code = ExitCode::unreadable;
    }
  }
  return code;
}

}  // namespace

void check_configuration(const Configuration& configuration, const Console& console) {
  const lint::Knowledge knowledge = load_rules(console.files, configuration.run.rules);
  const ThisMachine machine(console.host());
  const TargetSettings& top = configuration.target;
  resolve_target(std::array{&top}, knowledge, machine);
  for (const TargetEntry& entry : configuration.targets) {
    resolve_target(std::array{&entry.settings, &top}, knowledge, machine);
  }
  selection_of(configuration.run, knowledge);
  const Severities severities(configuration.severity, knowledge);
  if (configuration.baseline) {
    Baseline::read(console.files, configuration.baseline->value);
  }
}

namespace {

ExitCode check_configurations(Console& console, const Arguments& arguments) {
  std::vector<std::string> names(arguments.operands.begin() + 1, arguments.operands.end());
  if (names.empty()) {
    names.push_back(text_of_option(arguments, "--config"));
  }
  for (const std::string& name : names) {
    ConfigurationSearch search(console.files, name, tool_version());
    const Configuration& configuration = search.find("./recipe.yaml");
    if (configuration.path.empty()) {
      throw os::MissingError("no .epwise.yaml between here and the root of the repository");
    }
    check_configuration(configuration, console);
    for (const TargetEntry* entry : unused_targets(console.files, configuration)) {
      throw UsageError(
          fmt::format("{}: the paths of this target match no YAML file or script", entry->source));
    }
    console.out << "ok: " << configuration.path << '\n';
  }
  return ExitCode::clean;
}

ExitCode run_config(Console& console, const Arguments& arguments) {
  if (arguments.operands.front() == "init") {
    return init_configuration(console, arguments);
  }
  return arguments.operands.front() == "show" ? show_settings(console, arguments)
                                              : check_configurations(console, arguments);
}

std::vector<Option> config_options() {
  std::vector<Option> result{
      {.name = "--origin", .summary = "also print the source of each value", .brief = true}};
  for (const std::vector<Option>& more :
       {configuration_options(), target_options(), selection_options()}) {
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

}  // namespace

Command config_command() {
  return {
      .name = "config",
      .usage =
          "config show [--origin] FILE... | config check [CONFIGURATION...] | config init [FILE]",
      .summary = "show the settings that apply to a recipe; check or write a configuration",
      .examples = {{"config show --origin recipe.yaml", "every value with its source"},
                   {"config check", "the nearest .epwise.yaml"},
                   {"config init --hw h100 --gpus 64 --stack nemo-26.06",
                    "write one; without options it asks"}},
      .options = config_options(),
      .actions = {"show", "check", "init"},
      .run = run_config};
}

}  // namespace epwise::cli
