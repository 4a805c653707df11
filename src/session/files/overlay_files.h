#pragma once

#include <map>
#include <set>
#include <string>

#include "base/os/forwarding_files.h"
#include "session/files/places.h"

namespace epwise::session {

/// The file system with different contents for some files: a file at a revision or in git's index.
/// Contents are given by the path used for access, or by absolute path; files in `gone` (absolute
/// paths) do not exist.
class OverlayFiles : public os::ForwardingFiles {
 public:
  OverlayFiles(os::Files& below,
               std::map<std::string, std::string> contents,
               std::set<std::string> gone = {})
      : ForwardingFiles(below),
        contents_(std::move(contents)),
        gone_(std::move(gone)) {}

  std::string read(const std::string& path,
                   std::size_t limit = static_cast<std::size_t>(-2)) const override {
    const std::string* const found = find_or_fail(path);
    return found == nullptr ? ForwardingFiles::read(path, limit) : found->substr(0, limit + 1);
  }

  std::string read_regular(const std::string& path, std::size_t limit) const override {
    const std::string* const found = find_or_fail(path);
    return found == nullptr ? ForwardingFiles::read_regular(path, limit)
                            : found->substr(0, limit + 1);
  }

  bool is_file(const std::string& path) const override {
    return find(path) != nullptr || (underlying().is_file(path) && !is_gone(path));
  }

  std::string stamp(const std::string& path) const override {
    return os::content_stamp(*this, path);
  }

 private:
  const std::string* find(const std::string& path) const {
    if (contents_.empty()) {
      return nullptr;
    }
    auto found = contents_.find(path);
    if (found == contents_.end()) {
      const auto place = underlying().canonical(path);
      found = contents_.find(place ? *place : absolute(path));
    }
    return found == contents_.end() ? nullptr : &found->second;
  }

  const std::string* find_or_fail(const std::string& path) const {
    const std::string* const found = find(path);
    if (found == nullptr && is_gone(path)) {
      throw os::MissingError("cannot read " + path + ": it no longer exists");
    }
    return found;
  }

  bool is_gone(const std::string& path) const {
    return !gone_.empty() && gone_.contains(underlying().canonical(path).value_or(path));
  }

  /// Contents of a missing file.
  std::string absolute(const std::string& path) const {
    return join(folder_of(underlying(), path), path.substr(path.rfind('/') + 1));
  }

  std::map<std::string, std::string> contents_;
  std::set<std::string> gone_;
};

}  // namespace epwise::session
