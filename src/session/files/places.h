#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/files.h"

namespace epwise::session {

/// "recipes/a.yaml" → "recipes"; "a.yaml" → "."; "/a" → "/"; "/" → "/".
std::string parent_of(std::string_view path);

/// ("recipes", "a.yaml") → "recipes/a.yaml"; (".", "a.yaml") → "a.yaml"; an absolute second part is
/// returned unchanged.
std::string join(std::string_view directory, std::string_view path);

/// The part of `path` below `directory`, both absolute: ("/repo", "/repo/a/b") → "a/b"; nullopt if
/// it is not below it.
std::optional<std::string> below(std::string_view directory, std::string_view path);

/// An absolute path for display: relative to the working directory, with ".." if needed.
std::string shown(const os::Files& files, const std::string& absolute);

/// The absolute directory of a path, resolved through the nearest existing directory (a name given
/// with --stdin-filename need not exist).
std::string folder_of(const os::Files& files, const std::string& path);

/// Directories that may contain files related to a file of `directory` (absolute), nearest first:
/// up to the root of its repository (the directory with `.git`). Outside a repository: up to the
/// working directory if `directory` is below it, otherwise only `directory`.
std::vector<std::string> enclosing_folders(const os::Files& files, const std::string& folder);

}  // namespace epwise::session
