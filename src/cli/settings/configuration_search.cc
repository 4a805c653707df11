#include "cli/settings/configuration_search.h"

#include <utility>
#include <vector>

#include <fmt/core.h>

#include "cli/files/places.h"
#include "text/source_file.h"
#include "text/spelling.h"

namespace epwise::cli {

namespace {

using world::UsageError;

constexpr const char* kFileName = ".epwise.yaml";
constexpr const char* kWrongEnding = ".epwise.yml";
constexpr std::size_t kLargest = std::size_t{1} << 20;

/// Remarks on style that do not keep a configuration from being used.
bool is_harmless(const text::Diagnostic& problem) {
  return problem.rule == "yaml/empty" || problem.rule == "yaml/byte-order-mark" ||
         problem.rule == "yaml/unused-anchor";
}

std::string sentence(const text::Diagnostic& problem) {
  std::string line;
  if (!problem.mark.nowhere()) {
    line = fmt::format("{}:{}: ", problem.mark.file->name(), problem.mark.start().line);
  }
  line += problem.message;
  if (!problem.help.empty()) {
    line += fmt::format("; {}", problem.help);
  }
  return line;
}

void check(const std::vector<text::Diagnostic>& problems) {
  std::string lines;
  for (const text::Diagnostic& problem : problems) {
    if (!is_harmless(problem)) {
      lines += (lines.empty() ? "" : "\n") + sentence(problem);
    }
  }
  if (!lines.empty()) {
    throw UsageError(lines);
  }
}

void check_version(const Configuration& configuration, std::string_view version) {
  const auto& required = configuration.required_version;
  if (required && satisfies(version, required->value) == false) {
    throw UsageError(fmt::format(
        "{}: epwise {} is required here, this is {}", required->source, required->value, version));
  }
}

}  // namespace

ConfigurationSearch::ConfigurationSearch(const world::Files& files,
                                         std::string chosen,
                                         std::string_view tool_version)
    : files_(files),
      chosen_(std::move(chosen)),
      tool_version_(tool_version) {}

const Configuration& ConfigurationSearch::read(const std::string& folder, const std::string& name) {
  auto& slot = read_[join(folder, name)];
  if (slot == nullptr) {
    std::string bytes;
    try {
      bytes = files_.read(name.starts_with('/') ? name : join(folder, name), kLargest);
    } catch (const world::MissingError& error) {
      throw UsageError(fmt::format("configuration: {}", error.what()));
    }
    const std::string path = folder.starts_with('/') ? shown(files_, join(folder, name)) : name;
    auto file = std::make_unique<text::SourceFile>(path, std::move(bytes));
    std::vector<text::Diagnostic> problems;
    auto configuration =
        std::make_unique<Configuration>(read_configuration(*file, parent_of(path), problems));
    configuration->folder = folder_of(files_, join(folder, name));
    check(problems);
    check_version(*configuration, tool_version_);
    slot = std::move(configuration);
  }
  return *slot;
}

const Configuration& ConfigurationSearch::find(const std::string& path) {
  if (chosen_ == "none") {
    return none_;
  }
  if (!chosen_.empty()) {
    return read(".", chosen_);
  }
  const std::string place = parent_of(path);
  if (const auto known = found_.find(place); known != found_.end()) {
    return *known->second;
  }
  const Configuration* result = &none_;
  for (const std::string& folder : enclosing_folders(files_, folder_of(files_, path))) {
    if (files_.is_file(join(folder, kFileName))) {
      result = &read(folder, kFileName);
      break;
    }
    if (const std::string wrong = join(folder, kWrongEnding); files_.is_file(wrong)) {
      throw UsageError(
          fmt::format("{} would not be read: call it {}", shown(files_, wrong), kFileName));
    }
  }
  found_[place] = result;
  return *result;
}

const TargetEntry* find_entry(const world::Files& files,
                              const Configuration& configuration,
                              const std::string& path,
                              const std::string& name) {
  if (!name.empty()) {
    std::vector<std::string_view> names;
    for (const TargetEntry& entry : configuration.targets) {
      if (entry.name == name) {
        return &entry;
      }
      if (!entry.name.empty()) {
        names.push_back(entry.name);
      }
    }
    throw UsageError(fmt::format(
        "no target `{}` in {}{}",
        name,
        configuration.path.empty() ? "a configuration: there is none" : configuration.path,
        text::did_you_mean(name, names)));
  }
  if (configuration.targets.empty()) {
    return nullptr;
  }
  const std::string absolute = join(folder_of(files, path), path.substr(path.rfind('/') + 1));
  const std::optional<std::string> relative = below(configuration.folder, absolute);
  for (const TargetEntry& entry : configuration.targets) {
    if (relative.has_value() && entry.covers(*relative)) {
      return &entry;
    }
  }
  return nullptr;
}

}  // namespace epwise::cli
