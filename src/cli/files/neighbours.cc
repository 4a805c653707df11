#include "cli/files/neighbours.h"

#include <utility>
#include <vector>

#include "cli/files/places.h"
#include "text/spelling.h"
#include "yaml/parse.h"

namespace epwise::cli {

namespace {

/// Where a name may lead, the likeliest first.
std::vector<std::string> places(const world::Files& files,
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

}  // namespace

Neighbours neighbours(const world::Files& files, const std::string& path) {
  Neighbours result;
  result.open = [&files, path](const std::string& name) -> std::shared_ptr<const text::SourceFile> {
    for (const std::string& place : places(files, path, name)) {
      if (files.is_file(place)) {
        try {
          return std::make_shared<const text::SourceFile>(place,
                                                          files.read(place, yaml::Limits{}.bytes));
        } catch (const world::MissingError&) {
          return nullptr;
        }
      }
    }
    return nullptr;
  };
  result.slip = [&files, path](const std::string& name) -> std::optional<std::string> {
    if (name.starts_with('/') || name.find('/') == std::string::npos) {
      return std::nullopt;
    }
    std::optional<std::string> found;
    for (const std::string& place : places(files, path, name)) {
      if (files.is_file(place)) {
        return std::nullopt;  // it is there and can't be read
      }
      const std::string folder = parent_of(place);
      if (found.has_value() || !files.is_directory(folder)) {
        continue;
      }
      const std::vector<std::string> names = world::list_if_possible(files, folder);
      const auto file = name.substr(name.rfind('/') + 1);
      const auto near = text::nearest(file, {names.begin(), names.end()}, 1);
      found = near.empty() ? "" : name.substr(0, name.rfind('/') + 1) + near.front();
    }
    return found;
  };
  return result;
}

}  // namespace epwise::cli
