#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/os/files.h"
#include "base/text/source_file.h"

namespace epwise::session {

/// The files around an input: those that a launch script refers to, and those beside a recipe.
struct Neighbours {
  /// A file by its name, or else relative to the script's directory or one of its parents, up to
  /// the root of the repository; null pointer if not found.
  std::function<std::shared_ptr<const text::SourceFile>(const std::string& name)> open;
  /// Detects a misspelt file name: the directory of a relative name exists but does not contain the
  /// file. Returns the most similar name in that directory, "" if there is none; nullopt if the
  /// directory does not exist here either, since the file may exist on the cluster.
  ///   "recipes/olmo.yaml" → "recipes/olmoe.yaml"
  std::function<std::optional<std::string>(const std::string& name)> slip;
  /// Of a name that `open` answers with nothing though something is there: why it is not read, "a
  /// named pipe"; "" otherwise.
  std::function<std::string(const std::string& name)> refused;
  /// Whether one of the other YAML files in the directory satisfies a condition; at most 16 of them
  /// are read, and none of more than 1 MiB.
  std::function<bool(
      const std::function<bool(const std::shared_ptr<const text::SourceFile>& file)>& condition)>
      beside;
};

/// The resolver for the script at `path`.
Neighbours neighbours(const os::Files& files, const std::string& path);

}  // namespace epwise::session
