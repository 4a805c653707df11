#include "commands/gate/dependants.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "base/os/regular_files.h"
#include "session/files/file_selection.h"
#include "session/files/places.h"
#include "ui/console.h"

namespace epwise::cli {

namespace {

constexpr std::string_view kConfiguration = ".epwise.yaml";
constexpr std::size_t kLargestDependant = std::size_t{16} << 20U;  // file endings of recipes

bool is_part_of_a_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

/// As a whole name: "base.yaml" matches in "../base.yaml" but not in "my_base.yaml".
bool mentions(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_part_of_a_name(text[at - 1])) &&
        (end == text.size() || !is_part_of_a_name(text[end]))) {
      return true;
    }
  }
  return false;
}

}  // namespace

Dependants::Dependants(const os::Files& files, std::set<std::string> changed)
    : files_(files),
      changed_(std::move(changed)) {
  for (const std::string& place : changed_) {
    if (std::string name = place.substr(place.rfind('/') + 1);
        name != kConfiguration && is_lintable(name)) {
      names_.insert(std::move(name));
    }
  }
}

bool Dependants::hold(const std::string& path) {
  return configuration_changed(folder_of(files_, path)) || names_a_change(path);
}

bool Dependants::names_a_change(const std::string& path) const {
  if (names_.empty() || !files_.is_file(path)) {
    return false;
  }
  try {
    const std::string text = os::read_regular(files_, path, kLargestDependant);
    return std::ranges::any_of(names_,
                               [&text](const std::string& name) { return mentions(text, name); });
  } catch (const os::MissingError&) {
    return false;  // it did not change, and was not requested by name
  }
}

bool Dependants::configuration_changed(const std::string& folder) {
  const auto known = folders_.find(folder);
  if (known != folders_.end()) {
    return known->second;
  }
  bool changed = false;
  for (const std::string& each : enclosing_folders(files_, folder)) {
    const std::string path = join(each, kConfiguration);
    changed = changed || changed_.contains(path) || names_a_change(path);
  }
  folders_.emplace(folder, changed);
  return changed;
}

}  // namespace epwise::cli
