#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "world/files.h"

namespace epwise::cli {

/// "recipes/a.yaml" → "recipes"; "a.yaml" → "."; "/a" → "/"; "/" → "/".
std::string parent_of(std::string_view path);

/// ("recipes", "a.yaml") → "recipes/a.yaml"; (".", "a.yaml") → "a.yaml"; an absolute second part
/// stays.
std::string join(std::string_view directory, std::string_view path);

/// The part of `path` below `directory`, both absolute: ("/repo", "/repo/a/b") → "a/b"; nullopt
/// when it does not lie there.
std::optional<std::string> below(std::string_view directory, std::string_view path);

/// How an absolute path is shown: relative to the working directory, with ".." where needed.
std::string shown(const world::Files& files, const std::string& absolute);

/// The absolute folder that a path stands in, through the nearest folder that exists (a name given
/// with --stdin-filename need not).
std::string folder_of(const world::Files& files, const std::string& path);

/// Folders in which something that belongs to a file of `folder` (absolute) may stand, the nearest
/// first: up to the root of its repository (the folder that holds `.git`). Outside a repository: up
/// to the working directory when `folder` is below it, else `folder` alone.
std::vector<std::string> enclosing_folders(const world::Files& files, const std::string& folder);

}  // namespace epwise::cli
