#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace epwise::world {

/// Something needed is not there: an unreadable input, a missing device. Becomes exit code 3.
class MissingError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The command itself is wrong: bad flag, bad configuration, unknown profile. Becomes exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The file system as this program sees it. Tests use an in-memory one
/// (tests/support/memory_files.h).
class Files {
 public:
  virtual ~Files() = default;

  /// The whole file; throws MissingError("cannot read recipes/a.yaml: permission denied"). Reads at
  /// most `limit` + 1 bytes, so that a caller can tell "too large" without holding it all.
  virtual std::string read(const std::string& path,
                           std::size_t limit = static_cast<std::size_t>(-2)) const = 0;

  virtual bool is_file(const std::string& path) const = 0;
  virtual bool is_directory(const std::string& path) const = 0;

  /// Names (not paths) in a directory, sorted bytewise; empty when there is no such directory.
  /// Throws MissingError("cannot list recipes: permission denied") when it can't be listed.
  virtual std::vector<std::string> list(const std::string& directory) const = 0;

  /// Absolute, symlink-free form, used for comparing places only and never printed; nullopt when
  /// there is none.
  virtual std::optional<std::string> canonical(const std::string& path) const = 0;

  /// Writes through a temporary file in the same directory and a rename, so that a reader sees the
  /// old or the new content and never half of it; throws MissingError.
  virtual void write_atomically(const std::string& path, const std::string& content) = 0;
};

/// The same for a search that looks into many places: one that can't be listed holds nothing.
inline std::vector<std::string> list_if_possible(const Files& files, const std::string& directory) {
  try {
    return files.list(directory);
  } catch (const MissingError&) {
    return {};
  }
}

/// Environment variables of this process.
class Variables {
 public:
  virtual ~Variables() = default;
  virtual std::optional<std::string> get(const std::string& name) const = 0;
};

}  // namespace epwise::world
