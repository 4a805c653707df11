#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/os/programs.h"

namespace epwise::cli {

/// Information from git about the checkout around the working directory. Every function throws
/// os::UsageError if git, the checkout or the revision does not exist.
class Git {
 public:
  /// Null pointer: this program cannot start others.
  explicit Git(const os::Programs* programs) : programs_(programs) {}

  /// The checkout's directory, absolute.
  std::string root() const;

  /// Files of the working tree that differ from a revision, including new ones, relative to the
  /// root.
  std::set<std::string> changed_since(const std::string& revision) const;

  /// Files whose staged text differs from the last commit, relative to the root, and those staged
  /// for deletion.
  std::set<std::string> staged() const;

  /// Files of a submodule whose working tree differs from the commit that the checkout records for
  /// it at `revision`, including new ones. `folder`: of the submodule, relative to `root`; so are the
  /// names. All its files if that commit is not in the submodule's clone.
  std::set<std::string> changed_in_submodule(const std::string& root,
                                             const std::string& folder,
                                             const std::string& revision) const;

  /// The same between HEAD and the staged commit of the submodule: names and texts.
  std::map<std::string, std::string> staged_in_submodule(const std::string& root,
                                                         const std::string& folder) const;

  /// Files that differ between two revisions, relative to the root, including those that exist in
  /// only one.
  std::set<std::string> changed_between(const std::string& old, const std::string& now) const;

  /// A file at a revision, by its name relative to the root; nullopt if the revision does not have
  /// it.
  std::optional<std::string> show(const std::string& revision, const std::string& name) const;

  /// The name of a working-tree file at a revision, if git detects that it was renamed since.
  std::optional<std::string> renamed_from(const std::string& revision,
                                          const std::string& name) const;

  /// A staged file.
  std::optional<std::string> show_staged(const std::string& name) const;

  bool has_revision(const std::string& revision) const;

  /// Throws if there is no such revision.
  void check(const std::string& revision) const;

 private:
  std::string ask(std::vector<std::string> words, const std::string& purpose) const;
  std::string why_silent() const;
  std::string recorded_commit(const std::string& object) const;
  std::optional<std::string> ask_in(const std::string& place,
                                    const std::vector<std::string>& words) const;

  const os::Programs* programs_;
};

}  // namespace epwise::cli
