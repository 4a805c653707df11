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

  /// The checkout's folder, absolute.
  std::string root() const;

  /// Files of the checkout that differ from a revision in the working tree, new ones included, by
  /// their names from its root.
  std::set<std::string> changed_since(const std::string& revision) const;

  /// Files of the checkout whose staged text differs from the last commit's, by the same names, and
  /// those that are staged to go.
  std::set<std::string> staged() const;

  /// Files that differ between two revisions, by the same names; those that only one of them has
  /// included.
  std::set<std::string> changed_between(const std::string& old, const std::string& now) const;

  /// A file as a revision has it, by its name from the root; nullopt where the revision has none.
  std::optional<std::string> show(const std::string& revision, const std::string& name) const;

  /// The name that a file of the working tree had in a revision, where git takes it for renamed
  /// since.
  std::optional<std::string> renamed_from(const std::string& revision,
                                          const std::string& name) const;

  /// A staged file.
  std::optional<std::string> show_staged(const std::string& name) const;

  bool has_revision(const std::string& revision) const;

  /// Throws where there is no such revision.
  void check(const std::string& revision) const;

 private:
  std::string ask(std::vector<std::string> words, const std::string& purpose) const;
  std::string why_silent() const;

  const world::Programs* programs_;
};

}  // namespace epwise::cli
