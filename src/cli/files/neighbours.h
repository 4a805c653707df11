#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "text/source_file.h"
#include "world/files.h"

namespace epwise::cli {

/// How a launch script reaches the files that it names.
struct Neighbours {
  /// A file as it is named, else seen from the script's folder or one around it, up to the root of
  /// its repository; null pointer where there is none.
  std::function<std::shared_ptr<const text::SourceFile>(const std::string& name)> open;
  /// What speaks for a slip in the name: the folder that a relative name speaks of is there, and
  /// has no such file. The answer is that folder's file with the nearest name, "" without one;
  /// nullopt where the folder isn't here either, so that the file may wait on the cluster.
  ///   "recipes/olmo.yaml" → "recipes/olmoe.yaml"
  std::function<std::optional<std::string>(const std::string& name)> slip;
};

/// Those of the script at `path`.
Neighbours neighbours(const world::Files& files, const std::string& path);

}  // namespace epwise::cli
