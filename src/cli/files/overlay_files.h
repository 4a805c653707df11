#pragma once

#include <map>
#include <set>
#include <string>

#include "cli/files/places.h"
#include "world/files.h"
#include "world/parts.h"

namespace epwise::cli {

/// The file system with other contents in some places: a file as a revision or git's index has it.
/// Contents are given by the path that will be asked for, or by absolute path; those of `gone`,
/// absolute ones, aren't there.
class OverlayFiles : public world::Files, public world::PartWriter {
 public:
  OverlayFiles(world::Files& below,
               std::map<std::string, std::string> contents,
               std::set<std::string> gone = {})
      : below_(below),
        contents_(std::move(contents)),
        gone_(std::move(gone)) {}

  std::string read(const std::string& path,
                   std::size_t limit = static_cast<std::size_t>(-2)) const override {
    const std::string* const found = find(path);
    if (found == nullptr && is_gone(path)) {
      throw world::MissingError("cannot read " + path + ": it is not there any more");
    }
    return found == nullptr ? below_.read(path, limit) : found->substr(0, limit + 1);
  }

  bool is_file(const std::string& path) const override {
    return find(path) != nullptr || (below_.is_file(path) && !is_gone(path));
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

  void write_in_parts(const std::string& path, const world::Parts& parts) override {
    world::write_parts(below_, path, parts);
  }

 private:
  const std::string* find(const std::string& path) const {
    if (contents_.empty()) {
      return nullptr;
    }
    auto found = contents_.find(path);
    if (found == contents_.end()) {
      const auto place = below_.canonical(path);
      found = contents_.find(place ? *place : absolute(path));
    }
    return found == contents_.end() ? nullptr : &found->second;
  }

  bool is_gone(const std::string& path) const {
    return !gone_.empty() && gone_.contains(below_.canonical(path).value_or(path));
  }

  /// Of a file that is not there.
  std::string absolute(const std::string& path) const {
    return join(folder_of(below_, path), path.substr(path.rfind('/') + 1));
  }

  world::Files& below_;
  std::map<std::string, std::string> contents_;
  std::set<std::string> gone_;
};

}  // namespace epwise::cli
