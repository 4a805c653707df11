#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>

#include "cli/files/places.h"
#include "text/sha256.h"
#include "world/files.h"
#include "world/parts.h"

namespace epwise::cli {

/// The file system, and a list of what was asked of it: what a result rests on besides the recipes
/// (configuration, baseline, profiles, calibrations, budgets' inputs), and which files were looked
/// for in vain. May be asked by several threads.
class WitnessFiles : public world::Files, public world::PartWriter {
 public:
  explicit WitnessFiles(world::Files& below) : below_(below) {}

  std::string read(const std::string& path,
                   std::size_t limit = static_cast<std::size_t>(-2)) const override {
    std::string text = below_.read(path, limit);
    if (const std::string name = name_of(path); !name.empty()) {
      std::string hash = text::sha256(text);
      const std::lock_guard<std::mutex> lock(mutex_);
      read_.insert_or_assign(name, std::move(hash));
    }
    return text;
  }

  bool is_file(const std::string& path) const override {
    const bool found = below_.is_file(path);
    const std::string name = found || below_.is_directory(path) ? "" : name_of(path);
    if (!name.empty()) {
      const std::lock_guard<std::mutex> lock(mutex_);
      absent_.insert(name);
    }
    return found;
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

  /// SHA-256 of each file that was read, as it was read the last time, seen from the working
  /// directory. Files named from the root that are not of this checkout are those of the machine,
  /// and left out.
  const std::map<std::string, std::string>& read_files() const { return read_; }

  /// Files that were looked for and weren't there.
  const std::set<std::string>& absent() const { return absent_; }

 private:
  /// Git's own files and lists of what is ignored decide where recipes are looked for, not what is
  /// said of one.
  static bool is_bookkeeping(const std::string& path) {
    return path.ends_with("/.git") || path == ".git" || path.find(".git/") != std::string::npos ||
           path.ends_with(".gitignore") || path.ends_with(".epwiseignore");
  }

  /// Seen from the working directory; empty for what no result rests on, and for a file of the
  /// machine.
  std::string name_of(const std::string& path) const {
    if (is_bookkeeping(path)) {
      return {};
    }
    if (!path.starts_with('/')) {
      return path;
    }
    return below(root_, path) ? shown(below_, path) : std::string();
  }

  world::Files& below_;
  std::string root_;  // of the repository

  mutable std::mutex mutex_;
  mutable std::map<std::string, std::string> read_;
  mutable std::set<std::string> absent_;
};

}  // namespace epwise::cli
