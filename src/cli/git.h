#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "world/programs.h"

namespace epwise::cli {

/// What git says about the checkout around the working directory. Every function throws
/// world::UsageError where there is no git, no checkout, or no such revision.
class Git {
 public:
  /// Null pointer: this program can't start others.
  explicit Git(const world::Programs* programs) : programs_(programs) {}

  /// Files that differ from a revision in the working tree, new ones included; as they are named
  /// from the working directory.
  std::set<std::string> changed_since(const std::string& revision) const;

  /// Files whose staged text differs from the last commit's.
  std::set<std::string> staged() const;

  /// A file as a revision has it, by its name from the working directory; nullopt where the
  /// revision has none.
  std::optional<std::string> show(const std::string& revision, const std::string& path) const;

  /// A staged file.
  std::optional<std::string> show_staged(const std::string& path) const;

 private:
  std::string ask(std::vector<std::string> words, const std::string& purpose) const;
  void check(const std::string& revision) const;

  const world::Programs* programs_;
};

}  // namespace epwise::cli
