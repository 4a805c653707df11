#include "commands/lsp/editor_service.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/text/spelling.h"
#include "session/files/places.h"
#include "session/options/run_options.h"
#include "session/options/target_options.h"
#include "session/settings/run_settings.h"
#include "yaml/parse.h"

namespace epwise::cli {

namespace {

using os::UsageError;

constexpr const char* kEditor = "the editor's settings";
constexpr std::string_view kConfigurationFile = ".epwise.yaml";

bool is_configuration(const std::string& name) {
  return name.substr(name.rfind('/') + 1) == kConfigurationFile;
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
      fmt::format("{}: no such setting `{}`{}", kEditor, name, text::did_you_mean(name, names)));
}

}  // namespace

std::vector<Option> editor_options() {
  std::vector<Option> options = target_options();
  for (const Option& option : selection_options()) {
    if (option.name != "--fail-on" && option.name != "--strict") {  // of exit codes
      options.push_back(option);
    }
  }
  for (const auto& more : {configuration_options(), acceptance_options()}) {
    options.insert(options.end(), more.begin(), more.end());
  }
  return options;
}

EditorService::EditorService(const Console& console, const Arguments& arguments)
    : console_(console),
      arguments_(arguments) {
  open_workspace();
  workspace_->knowledge(run_settings(arguments));  // created before it is needed
}

/// What the editor's user has set counts before the options of `epwise lsp`.
void EditorService::open_workspace() {
  session::Given given = given_by(arguments_);
  const session::Given wished = given_by(editor_arguments_);
  given.targets.insert(given.targets.begin(), wished.targets.begin(), wished.targets.end());
  given.run = joined(wished.run, given.run);
  given.configuration = editor_arguments_.text_of("--config", given.configuration);
  given.entry = editor_arguments_.text_of("--target", given.entry);
  given.baseline = wished.baseline ? wished.baseline : given.baseline;
  given.comments = wished.comments && given.comments;
  workspace_ = std::make_unique<Workspace>(console_.host(), std::move(given));
}

void EditorService::set(const lsp::Settings& settings, const std::string& root) {
  const auto options = editor_options();
  Arguments wished;
  for (const auto& [name, value] : settings) {
    const bool path = name == "base" || name == "rules" || (name == "config" && value != "none");
    add_wish(options, name, path && !root.empty() ? join(root, value) : value, wished);
  }
  given_by(wished);  // throws for what contradicts itself
  editor_arguments_ = std::move(wished);
  forget();
}

void EditorService::forget() {
  open_workspace();
}

std::string EditorService::name_of(const std::string& absolute) const {
  const auto here = console_.files.canonical(".");
  const auto relative = here ? below(*here, absolute) : std::nullopt;
  return relative.value_or(absolute);
}

std::shared_ptr<const lsp::LintedDocument> EditorService::lint(
    const std::shared_ptr<const text::SourceFile>& file) {
  const auto reading = std::make_shared<lsp::LintedDocument>();
  reading->file = file;
  try {
    if (is_configuration(file->name())) {
      read_configuration(*file, parent_of(file->name()), reading->faults);
    } else {
      fill(*reading);
    }
  } catch (const UsageError& error) {
    reading->problem = error.what();
  } catch (const os::MissingError& error) {
    reading->problem = error.what();
  } catch (const std::exception& error) {
    reading->problem = fmt::format("internal error: {}", error.what());
  }
  // Other files are ignored, whatever is wrong with the configuration.
  if (!reading->problem.empty() && !recipe::sniff(*file) && yaml::parse(*file).readable) {
    reading->problem.clear();
    reading->skipped = true;
  }
  return reading;
}

void EditorService::fill(lsp::LintedDocument& reading) {
  auto document = std::make_shared<Document>(
      *workspace_->open({.path = reading.file->name(), .file = reading.file}));
  recipe::Request& request = document->request;
  request.stream = std::make_shared<const yaml::Stream>(yaml::parse(*reading.file));
  const auto remember = [this, &reading](const std::shared_ptr<const text::SourceFile>& other) {
    const auto absolute = other ? console_.files.canonical(other->name()) : std::nullopt;
    if (absolute) {
      reading.paths[other.get()] = *absolute;
    }
    return other;
  };
  remember(request.base);
  remember(request.model_config);
  request.open = [remember, open = request.open](const std::string& name) {
    return remember(open(name));
  };
  std::vector<Analysis> analyses = analyze(document);
  reading.skipped = is_not_a_recipe(analyses);
  if (!reading.skipped) {
    reading.analyses = std::move(analyses);
  }
}

}  // namespace epwise::cli
