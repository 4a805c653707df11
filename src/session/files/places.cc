#include "session/files/places.h"

#include <algorithm>
#include <filesystem>

namespace epwise::session {

namespace {

std::vector<std::string> up_to_root(const std::string& folder) {
  std::vector<std::string> folders{folder};
  while (parent_of(folders.back()) != folders.back()) {
    folders.push_back(parent_of(folders.back()));
  }
  return folders;
}

bool is_repository(const os::Files& files, const std::string& folder) {
  const std::string git = join(folder, ".git");  // a file in a worktree or submodule
  return files.is_directory(git) || files.is_file(git);
}

}  // namespace

std::string parent_of(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) {
    path.remove_suffix(1);
  }
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) {
    return ".";
  }
  return std::string(path.substr(0, std::max<std::size_t>(slash, 1)));
}

std::string join(std::string_view directory, std::string_view path) {
  if (directory.empty() || directory == "." || path.starts_with('/')) {
    return std::string(path);
  }
  std::string result(directory);
  if (!result.ends_with('/')) {
    result += '/';
  }
  return result.append(path);
}

std::optional<std::string> below(std::string_view directory, std::string_view path) {
  const std::string prefix = directory == "/" ? "/" : std::string(directory) + "/";
  if (!path.starts_with(prefix)) {
    return std::nullopt;
  }
  return std::string(path.substr(prefix.size()));
}

std::string shown(const os::Files& files, const std::string& absolute) {
  const std::optional<std::string> here = files.canonical(".");
  if (!here.has_value()) {
    return absolute;
  }
  return std::filesystem::path(absolute).lexically_relative(*here).generic_string();
}

std::string folder_of(const os::Files& files, const std::string& path) {
  std::string folder = parent_of(path);
  while (folder != "." && folder != "/") {
    if (const auto absolute = files.canonical(folder)) {
      return *absolute;
    }
    folder = parent_of(folder);
  }
  return files.canonical(folder).value_or(folder);
}

std::vector<std::string> enclosing_folders(const os::Files& files, const std::string& folder) {
  std::vector<std::string> folders = up_to_root(folder);
  const auto root = std::ranges::find_if(
      folders, [&files](const std::string& place) { return is_repository(files, place); });
  if (root != folders.end()) {
    folders.erase(root + 1, folders.end());
    return folders;
  }
  const std::optional<std::string> here = files.canonical(".");
  const auto working = std::ranges::find(folders, here.value_or(""));
  folders.erase(working == folders.end() ? folders.begin() + 1 : working + 1, folders.end());
  return folders;
}

}  // namespace epwise::session
