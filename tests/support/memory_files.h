#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/os/files.h"

namespace epwise::support {

/// A file system in memory, with "/" as the working directory. What was written stands in `writes`,
/// in order; paths in `forbidden` refuse reading and writing.
class MemoryFiles : public os::Files {
 public:
  struct Write {
    std::string path;
    std::string content;

    bool operator==(const Write&) const = default;
  };

  MemoryFiles() = default;

  explicit MemoryFiles(const std::map<std::string, std::string>& contents) {
    for (const auto& [path, content] : contents) {
      put(path, content);
    }
  }

  void put(const std::string& path, std::string content) {
    contents_[place(path)] = std::move(content);
    originals_.erase(place(path));
  }

  /// A hard link: a second name of a file, until something else is written under one of them.
  void link(const std::string& existing, const std::string& path) {
    put(path, read(existing));
    originals_[place(path)] = identity(existing);
  }

  std::string read(const std::string& path,
                   std::size_t limit = static_cast<std::size_t>(-2)) const override {
    if (forbidden.contains(path)) {
      throw os::MissingError("cannot read " + path + ": permission denied");
    }
    if (is_directory(path)) {
      throw os::MissingError("cannot read " + path + ": is a directory");
    }
    const auto found = contents_.find(place(path));
    if (found == contents_.end()) {
      throw os::MissingError("cannot read " + path + ": no such file or directory");
    }
    return found->second.substr(0, limit + 1);
  }

  bool is_file(const std::string& path) const override { return contents_.contains(place(path)); }

  bool is_directory(const std::string& path) const override {
    return place(path) == "/" || !names_in(path).empty();
  }

  std::vector<std::string> list(const std::string& directory) const override {
    if (forbidden.contains(directory)) {
      throw os::MissingError("cannot list " + directory + ": permission denied");
    }
    return names_in(directory);
  }

  std::optional<std::string> canonical(const std::string& path) const override {
    return is_file(path) || is_directory(path) ? std::optional(place(path)) : std::nullopt;
  }

  std::string identity(const std::string& path) const override {
    const auto found = originals_.find(place(path));
    return found == originals_.end() ? Files::identity(path) : found->second;
  }

  void write_atomically(const std::string& path, const std::string& content) override {
    if (forbidden.contains(path)) {
      throw os::MissingError("cannot write " + path + ": permission denied");
    }
    writes.push_back({path, content});
    put(path, content);
  }

  std::set<std::string> forbidden;  // paths as they are asked for
  std::vector<Write> writes;

 private:
  std::vector<std::string> names_in(const std::string& directory) const {
    const std::string folder = place(directory);
    const std::string prefix = folder == "/" ? folder : folder + "/";
    std::set<std::string> names;
    for (const auto& [path, unused] : contents_) {
      if (path.starts_with(prefix)) {
        names.insert(path.substr(prefix.size(), path.find('/', prefix.size()) - prefix.size()));
      }
    }
    return {names.begin(), names.end()};
  }

  static std::string place(const std::string& path) {
    auto normal = (std::filesystem::path("/") / path).lexically_normal().string();
    if (normal.size() > 1 && normal.ends_with('/')) {
      normal.pop_back();
    }
    return normal;
  }

  std::map<std::string, std::string> contents_;   // by absolute path
  std::map<std::string, std::string> originals_;  // of hard links: the absolute path of the first
};

/// Environment variables as a test wants them.
class MemoryVariables : public os::Variables {
 public:
  MemoryVariables() = default;

  explicit MemoryVariables(std::map<std::string, std::string> values)
      : values_(std::move(values)) {}

  std::optional<std::string> get(const std::string& name) const override {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace epwise::support
