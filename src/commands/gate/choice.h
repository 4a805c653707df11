#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/os/files.h"
#include "commands/gate/git.h"
#include "session/files/file_selection.h"
#include "session/options/arguments.h"
#include "ui/console.h"

namespace epwise::cli {

/// The files of a checkout selected by --since and --staged. Names are compared as absolute paths,
/// so the spelling of a path does not matter.
class Choice {
 public:
  /// Throws os::UsageError for both options at once and for a revision that git does not know.
  Choice(const os::Files& files, const Git& git, const Arguments& arguments);

  /// Whether the selection is restricted.
  bool narrow() const { return narrow_; }

  /// The revision that files are compared with.
  const std::string& revision() const { return revision_; }

  /// --staged: the staged content, by absolute path, and the files staged for deletion.
  const std::map<std::string, std::string>& staged_texts() const { return staged_; }

  const std::set<std::string>& staged_to_go() const { return gone_; }

  /// Removes files that are not selected, and adds staged files that no longer exist on disk.
  void apply(FileSelection& selection) const;

  /// Selected files that are not recipes now but were at the revision: emptying a file or
  /// misspelling its first key must not remove it from the gate.
  std::vector<std::string> lost_recipes(const std::vector<std::string>& skipped) const;

 private:
  void open_submodules(std::set<std::string>& names);
  void read_index(const std::set<std::string>& names);
  bool is_asked_for(const std::string& place) const;

  const os::Files& files_;
  const Git& git_;
  std::vector<std::string> operands_;
  bool narrow_ = false;
  bool from_index_ = false;
  std::string revision_ = "HEAD";
  std::string root_;
  std::set<std::string> places_;
  std::map<std::string, std::string> staged_;
  std::set<std::string> gone_;
};

}  // namespace epwise::cli
