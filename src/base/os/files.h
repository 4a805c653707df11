#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace epwise::os {

/// Something required is missing: an unreadable input, a missing device. Becomes exit code 3.
class MissingError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The inputs exist, but there is nothing in them to work on: a directory without a recipe. Becomes
/// exit code 4.
class NothingError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The command itself is wrong: invalid flag or configuration, unknown profile. Becomes exit code
/// 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The file system interface of this program. Tests use an in-memory one
/// (tests/support/memory_files.h).
class Files {
 public:
  virtual ~Files() = default;

  /// The whole file; throws MissingError("cannot read recipes/a.yaml: permission denied"). Reads at
  /// most `limit` + 1 bytes, so that a caller can detect "too large" without reading everything.
  /// Reads what another process writes to a named pipe; throws if none opens it.
  virtual std::string read(const std::string& path,
                           std::size_t limit = static_cast<std::size_t>(-2)) const = 0;

  virtual bool is_file(const std::string& path) const = 0;
  virtual bool is_directory(const std::string& path) const = 0;

  /// Names (not paths) in a directory, sorted bytewise; empty if the directory does not exist.
  /// Throws MissingError("cannot list recipes: permission denied") if it cannot be listed.
  virtual std::vector<std::string> list(const std::string& directory) const = 0;

  /// Absolute form without symbolic links, only used for comparing paths and never printed; nullopt
  /// if there is none.
  virtual std::optional<std::string> canonical(const std::string& path) const = 0;

  /// A text that two names of the same file share, and no other file has: also hard links, whose
  /// canonical forms differ. Only used for comparing files and never printed; empty if there is no
  /// file or directory. Here: the canonical form.
  virtual std::string identity(const std::string& path) const;

  /// A text that changes when the file or directory does; empty if there is none. Here: content_stamp.
  virtual std::string stamp(const std::string& path) const;

  /// Writes through a temporary file in the same directory and a rename, so that a reader sees
  /// either the old or the new content; throws MissingError.
  virtual void write_atomically(const std::string& path, const std::string& content) = 0;

  /// The same for a file that must not exist yet; false, and nothing written, if there is one: of
  /// several writers at once, one succeeds.
  virtual bool create_atomically(const std::string& path, const std::string& content);

  /// The same for a file that must still have the content `before`; false, and the file as it is, if
  /// another process changed it, also between the comparison and the replacement.
  virtual bool replace_atomically(const std::string& path,
                                  const std::string& before,
                                  const std::string& content);
};

/// The content of a file or the names in a directory; empty if there is neither.
std::string content_stamp(const Files& files, const std::string& path);

/// The same for a search in many places: a directory that cannot be listed counts as empty.
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

  /// The names of all variables that begin like this, in any order.
  virtual std::vector<std::string> names(std::string_view /*start*/) const { return {}; }
};

/// Passes a text on in parts: calls its argument with each of them.
using Parts = std::function<void(const std::function<void(std::string_view)>&)>;

/// A file system that can write a text in parts. Others are given the whole text.
class PartWriter {
 public:
  virtual ~PartWriter() = default;

  /// Like Files::write_atomically; an exception from `parts` is rethrown here, and nothing is
  /// written.
  virtual void write_in_parts(const std::string& path, const Parts& parts) = 0;
};

class Files;

/// Writes in parts if `files` can, otherwise as a whole.
void write_parts(Files& files, const std::string& path, const Parts& parts);

}  // namespace epwise::os
