#include "app/outputs.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "session/files/file_selection.h"
#include "session/files/places.h"

namespace epwise::cli {

namespace {

using session::Arguments;
using session::Option;
using session::Setting;

/// The file that a value of an option names as an output; empty: standard output.
std::string output_of(const Option& option, const std::string& value) {
  if (option.writes == Option::Writes::value) {
    return value;
  }
  const std::size_t equals = value.find('=');
  const bool reads = value.starts_with("template=");
  return equals == std::string::npos || reads ? std::string() : value.substr(equals + 1);
}

std::vector<std::string> inputs_of(const Arguments& arguments, const std::vector<Option>& options) {
  std::vector<std::string> inputs = arguments.operands;
  for (const Option& option : options) {
    if (option.completion != session::Completion::files ||
        option.writes != Option::Writes::nothing) {
      continue;
    }
    for (const Setting& setting : arguments.all(option.name)) {
      inputs.push_back(setting.value);
    }
  }
  return inputs;
}

bool replaces(const std::string& output, const std::string& input, const os::Files& files) {
  const std::optional<std::string> place = files.canonical(input);
  if (!place) {
    return false;
  }
  if (files.is_directory(input)) {
    return session::is_lintable(output) && session::below(*place, output);
  }
  return files.identity(input) == files.identity(output);
}

/// A file that the command line tells the command to write.
struct Output {
  Setting setting;
  std::string path;
};

std::vector<Output> outputs_of(const Arguments& arguments, const std::vector<Option>& options) {
  std::vector<Output> outputs;
  for (const Option& option : options) {
    if (option.writes == Option::Writes::nothing) {
      continue;
    }
    for (const Setting& setting : arguments.all(option.name)) {
      const std::string path = output_of(option, setting.value);
      if (!path.empty() && path != "-") {
        outputs.push_back({setting, path});
      }
    }
  }
  return outputs;
}

/// A text that all names of a file share, also if it does not exist yet.
std::string identity_of(const std::string& path, const os::Files& files) {
  const std::string identity = files.identity(path);
  const auto folder = files.canonical(session::parent_of(path));
  if (!identity.empty() || !folder) {
    return identity.empty() ? path : identity;
  }
  return session::join(*folder, path.substr(path.rfind('/') + 1));
}

void check_distinct(const std::vector<Output>& outputs, const os::Files& files) {
  std::map<std::string, const Output*> known;
  for (const Output& output : outputs) {
    const auto [first, is_new] = known.emplace(identity_of(output.path, files), &output);
    if (!is_new) {
      throw os::UsageError(
          fmt::format("{} {} and {} {} write the same file; give one of them another name",
                      first->second->setting.source,
                      first->second->setting.value,
                      output.setting.source,
                      output.setting.value));
    }
  }
}

}  // namespace

void check_outputs(const Arguments& arguments,
                   const std::vector<Option>& options,
                   const os::Files& files) {
  const std::vector<std::string> inputs = inputs_of(arguments, options);
  const std::vector<Output> outputs = outputs_of(arguments, options);
  for (const auto& [setting, path] : outputs) {
    const std::optional<std::string> output =
        files.is_file(path) ? files.canonical(path) : std::nullopt;
    const bool bad = output && std::ranges::any_of(inputs, [&](const std::string& input) {
                       return replaces(*output, input, files);
                     });
    if (bad) {
      throw os::UsageError(
          fmt::format("{}: {} is an input of this command; write the output to another file",
                      setting.source,
                      path));
    }
  }
  check_distinct(outputs, files);
}

}  // namespace epwise::cli
