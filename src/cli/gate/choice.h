#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/files/file_selection.h"
#include "cli/files/git.h"
#include "world/files.h"

namespace epwise::cli {

/// What --since and --staged choose of a checkout. Names are compared as places, so that it does
/// not matter how a path was written.
class Choice {
 public:
  /// Throws world::UsageError for both options at once and for a revision that git does not know.
  Choice(const world::Files& files, const Git& git, const Arguments& arguments);

  /// Whether anything is left out.
  bool narrow() const { return narrow_; }

  /// The revision that files are compared with.
  const std::string& revision() const { return revision_; }

  /// --staged: what is about to be committed, by absolute path, and what is about to go.
  const std::map<std::string, std::string>& staged_texts() const { return staged_; }

  const std::set<std::string>& staged_to_go() const { return gone_; }

  /// Leaves out what was not chosen and names nothing that was; puts in what is staged and gone
  /// from the disk.
  void apply(FileSelection& selection) const;

  /// Of chosen files that hold no recipe, those that held one at the revision: nobody leaves the
  /// gate by emptying a file or by a slip in its first key.
  std::vector<std::string> lost_recipes(const std::vector<std::string>& skipped) const;

 private:
  void read_index(const std::set<std::string>& names);
  bool is_asked_for(const std::string& place) const;

  const world::Files& files_;
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
