#include "library/call.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/os/process_variables.h"
#include "base/text/spelling.h"
#include "session/files/file_selection.h"
#include "session/options/run_options.h"
#include "session/options/target_options.h"
#include "yaml/parse.h"

namespace epwise::library {

std::optional<std::string> OwnVariables::get(const std::string& name) const {
  if (name == "EPWISE_TODAY" && !today_.empty()) {
    return today_;
  }
  const bool of_a_terminal = name == "COLUMNS";
  return of_a_terminal || name.starts_with("EPWISE_") ? std::nullopt
                                                      : os::ProcessVariables().get(name);
}

void add(session::Arguments& arguments, const char* option, const std::string& value) {
  if (!value.empty()) {
    arguments.add(option, {value, option});
  }
}

void add(session::Arguments& arguments,
         const char* option,
         const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    add(arguments, option, value);
  }
}

namespace {

/// Throws os::UsageError for a value that its option does not take.
void check_words(const session::Arguments& arguments) {
  for (const auto& options : {session::target_options(), session::selection_options()}) {
    for (const session::Option& option : options) {
      for (const session::Setting& setting : arguments.all(option.name)) {
        if (!option.words.empty() &&
            std::ranges::find(option.words, setting.value) == option.words.end()) {
          throw os::UsageError(fmt::format("{} expects one of {}, not `{}`{}",
                                           option.name,
                                           fmt::join(option.words, ", "),
                                           setting.value,
                                           text::did_you_mean(setting.value, option.words)));
        }
      }
    }
  }
}

}  // namespace

session::Arguments arguments_of(const Options& options) {
  session::Arguments arguments;
  add(arguments, "--hw", options.hw);
  add(arguments, "--gpus", options.gpus ? std::to_string(*options.gpus) : "");
  add(arguments, "--stack", options.stack);
  add(arguments, "--framework", options.framework);
  for (const auto& [name, value] : options.env) {
    add(arguments, "--env", value ? name + "=" + *value : name);
  }
  add(arguments, "--purpose", options.purpose);
  add(arguments, "--harness", options.harness);
  add(arguments, "--base", options.base);
  add(arguments, "--select", options.select);
  add(arguments, "--ignore", options.ignore);
  add(arguments, "--extend-select", options.extend_select);
  add(arguments, "--extend-ignore", options.extend_ignore);
  add(arguments, "--rules", options.rules);
  add(arguments, "--fail-on", options.fail_on);
  add(arguments, "--strict", options.strict ? "true" : "");
  add(arguments, "--config", options.configuration);
  add(arguments, "--target", options.target_entry);
  add(arguments, "--baseline", options.baseline);
  add(arguments, "--no-ignores", options.comments ? "" : "true");
  add(arguments, "--input", options.inputs);
  add(arguments, "--calibration", options.calibration);
  add(arguments, "--document", options.document);
  add(arguments, "--color", std::string("never"));
  check_words(arguments);
  return arguments;
}

session::Source source_of(const Recipe& recipe, const os::Files& files) {
  if (recipe.text) {
    return {recipe.name.empty() ? "recipe" : recipe.name, recipe.text};
  }
  if (recipe.name.empty()) {
    if (recipe.words.empty()) {
      throw os::UsageError("which recipe? it has neither a file nor a text nor words");
    }
    return {"<command line>", std::nullopt, true};
  }
  if (recipe.name.ends_with(".py")) {
    return {recipe.name, std::nullopt};  // refused with a reason
  }
  const session::NumberedPath numbered = session::numbered_path(files, recipe.name);
  return {numbered.path, files.read(numbered.path, yaml::Limits{}.bytes), false, numbered.number};
}

std::vector<std::string> Call::said() const {
  std::vector<std::string> sentences;
  std::istringstream lines(err.str());
  for (std::string line; std::getline(lines, line);) {
    sentences.push_back(line.starts_with("epwise: ") ? line.substr(8) : line);
  }
  return sentences;
}

}  // namespace epwise::library
