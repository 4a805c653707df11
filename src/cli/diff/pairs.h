#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "cli/files/git.h"
#include "cli/session.h"

namespace epwise::cli {

/// One side of a comparison: a name, and the file system in which its path holds its text.
struct DiffSource {
  std::string name;
  std::string path;
  std::optional<std::string> text;  // of a revision; nullopt: as the file is today
};

struct DiffPair {
  std::string path;  // as it is shown
  std::optional<DiffSource> old;
  std::optional<DiffSource> now;  // nullopt: that side has no such file
};

/// Turns what was asked of `epwise diff` into pairs of texts.
class DiffPairs {
 public:
  explicit DiffPairs(Session& session)
      : session_(session),
        files_(session.files),
        git_(session.programs) {}

  /// Throws world::UsageError for words that name no two texts, world::MissingError for files that
  /// are not there. Where a revision alone is named: every recipe that differs from it.
  std::vector<DiffPair> of(const std::vector<std::string>& operands);

  /// YAML files and scripts that differ and hold no recipe on either side; after `of`.
  const std::vector<std::string>& left_aside() const { return left_aside_; }

  /// Scripts and recipes of the working tree that still name a file; none between two revisions.
  std::vector<std::string> naming(const std::string& path) const;

 private:
  std::pair<std::string, std::string> revisions(const std::string& word) const;
  std::string name_in_checkout(const std::string& path) const;
  std::optional<DiffSource> at(const std::string& revision, const std::string& path) const;
  std::vector<DiffPair> named(const std::vector<std::string>& paths,
                              const std::string& old,
                              const std::string& now) const;
  std::vector<DiffPair> all_between(const std::string& old, const std::string& now);
  DiffSource source_of(const std::string& word) const;

  Session& session_;
  const world::Files& files_;
  Git git_;
  std::vector<std::string> left_aside_;
  bool today_ = true;  // the newer side is the working tree
};

}  // namespace epwise::cli
