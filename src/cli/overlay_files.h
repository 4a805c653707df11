#pragma once

#include <map>
#include <string>

#include "world/files.h"

namespace epwise::cli {

/// The file system with other contents in some places: a file as a revision or git's index has it.
class OverlayFiles : public world::Files {
 public:
  OverlayFiles(world::Files& below, std::map<std::string, std::string> contents)
      : below_(below),
        contents_(std::move(contents)) {}

  std::string read(const std::string& path,
                   std::size_t limit = static_cast<std::size_t>(-2)) const override {
    const auto found = contents_.find(path);
    if (found == contents_.end()) {
      return below_.read(path, limit);
    }
    return found->second.substr(0, limit + 1);
  }

  bool is_file(const std::string& path) const override {
    return contents_.contains(path) || below_.is_file(path);
  }

  bool is_directory(const std::string& path) const override { return below_.is_directory(path); }

  std::vector<std::string> list(const std::string& directory) const override {
    return below_.list(directory);
  }

  std::optional<std::string> canonical(const std::string& path) const override {
    return below_.canonical(path);
  }

  void write_atomically(const std::string& path, const std::string& content) override {
    below_.write_atomically(path, content);
  }

 private:
  world::Files& below_;
  std::map<std::string, std::string> contents_;
};

}  // namespace epwise::cli
