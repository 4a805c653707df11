#include "session/files/neighbours.h"

#include <utility>
#include <vector>

#include "base/os/regular_files.h"
#include "base/text/spelling.h"
#include "session/files/places.h"
#include "yaml/parse.h"

namespace epwise::session {

namespace {

/// Candidate locations of a name, most likely first.
std::vector<std::string> places(const os::Files& files,
                                const std::string& script,
                                const std::string& name) {
  std::vector<std::string> all{name, join(parent_of(script), name)};
  if (!name.starts_with('/')) {
    for (const std::string& folder : enclosing_folders(files, folder_of(files, script))) {
      all.push_back(shown(files, join(folder, name)));
    }
  }
  return all;
}

/// Of a regular file. Under /dev and /proc there is nothing that a launch could rest on: standard
/// input, terminals, what the machine says of itself.
std::string read(const os::Files& files, const std::string& place) {
  if (place.starts_with("/dev/") || place.starts_with("/proc/")) {
    throw os::MissingError("cannot read " + place + ": it is a device, not a regular file");
  }
  return os::read_regular(files, place, yaml::Limits{}.bytes);
}

/// The first of its places that holds a file.
std::optional<std::string> first_file(const os::Files& files,
                                      const std::string& script,
                                      const std::string& name) {
  for (const std::string& place : places(files, script, name)) {
    if (files.is_file(place)) {
      return place;
    }
  }
  return std::nullopt;
}

std::shared_ptr<const text::SourceFile> opened(const os::Files& files,
                                               const std::string& script,
                                               const std::string& name) {
  const auto place = first_file(files, script, name);
  if (!place) {
    return nullptr;
  }
  try {
    return std::make_shared<const text::SourceFile>(*place, read(files, *place));
  } catch (const os::MissingError&) {
    return nullptr;
  }
}

/// Why a file that is there can't be read.
std::string refusal(const os::Files& files, const std::string& script, const std::string& name) {
  const auto place = first_file(files, script, name);
  if (!place) {
    return "";
  }
  try {
    read(files, *place);
    return "";
  } catch (const os::MissingError& error) {
    return error.what();
  }
}

/// The name of a file in the directory of the missing one, if the names are nearly the same.
std::optional<std::string> slip(const os::Files& files,
                                const std::string& script,
                                const std::string& name) {
  if (name.starts_with('/') || name.find('/') == std::string::npos) {
    return std::nullopt;
  }
  std::optional<std::string> found;
  for (const std::string& place : places(files, script, name)) {
    if (files.is_file(place)) {
      return std::nullopt;  // it exists but cannot be read
    }
    const std::string folder = parent_of(place);
    if (found.has_value() || !files.is_directory(folder)) {
      continue;
    }
    const std::vector<std::string> names = os::list_if_possible(files, folder);
    const auto file = name.substr(name.rfind('/') + 1);
    const auto near = text::nearest(file, {names.begin(), names.end()}, 1);
    found = near.empty() ? "" : name.substr(0, name.rfind('/') + 1) + near.front();
  }
  return found;
}

using Condition = std::function<bool(const std::shared_ptr<const text::SourceFile>& file)>;

bool any_beside(const os::Files& files, const std::string& path, const Condition& condition) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  constexpr int kMostFiles = 16;
  const std::string folder = parent_of(path);
  int seen = 0;
  for (const std::string& name : os::list_if_possible(files, folder)) {
    const std::string place = join(folder, name);
    const bool yaml = name.ends_with(".yaml") || name.ends_with(".yml");
    if (!yaml || path == place || !files.is_file(place)) {
      continue;
    }
    try {
      const std::string text = os::read_regular(files, place, kMostBytes);
      if (condition(std::make_shared<const text::SourceFile>(place, text))) {
        return true;
      }
    } catch (const os::MissingError&) {
      continue;
    }
    if (++seen == kMostFiles) {
      break;
    }
  }
  return false;
}

}  // namespace

Neighbours neighbours(const os::Files& files, const std::string& path) {
  Neighbours result;
  result.open = [&files, path](const std::string& name) { return opened(files, path, name); };
  result.refused = [&files, path](const std::string& name) { return refusal(files, path, name); };
  result.slip = [&files, path](const std::string& name) { return slip(files, path, name); };
  result.beside = [&files, path](const Condition& condition) {
    return any_beside(files, path, condition);
  };
  return result;
}

}  // namespace epwise::session
