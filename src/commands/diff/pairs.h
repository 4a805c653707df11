#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands/gate/git.h"
#include "session/options/arguments.h"
#include "ui/console.h"

namespace epwise::cli {

/// One side of a comparison: a name, and the file system that contains its text.
struct DiffSource {
  std::string name;
  std::string path;
  std::optional<std::string> text;  // at a revision; nullopt: the file as it is today
  int number = 0;                   // only this recipe of the text, from 1; 0: all
};

struct DiffPair {
  std::string path;  // as displayed
  std::optional<DiffSource> old;
  std::optional<DiffSource> now;  // nullopt: that side has no such file
};

/// Turns the arguments of `epwise diff` into pairs of texts.
class DiffPairs {
 public:
  explicit DiffPairs(Console& console)
      : console_(console),
        files_(console.files),
        git_(console.programs) {}

  /// Throws os::UsageError for words that name no two texts, os::MissingError for files that
  /// are not there. Where a revision alone is named: every recipe that differs from it.
  std::vector<DiffPair> of(const Arguments& arguments);

  /// YAML files and scripts that are not recipes on either side; valid after `of`.
  const std::vector<std::string>& left_aside() const { return left_aside_; }

  /// Scripts and recipes in the working tree that still refer to a file; none between two
  /// revisions.
  std::vector<std::string> naming(const std::string& path) const;

 private:
  std::pair<std::string, std::string> revisions(const std::string& word) const;
  std::string name_in_checkout(const std::string& path) const;
  std::optional<DiffSource> at(const std::string& revision, const std::string& path) const;
  std::vector<DiffPair> named(const std::vector<std::string>& paths,
                              const std::string& old,
                              const std::string& now);
  std::vector<DiffPair> between_directories(const std::string& old, const std::string& now);
  std::vector<DiffPair> changed_between(const std::string& old, const std::string& now) const;
  /// Those that hold a recipe on either side.
  std::vector<DiffPair> recipes_of(std::vector<DiffPair> pairs);
  DiffSource source_of(const std::string& word, const Arguments& arguments) const;

  Console& console_;
  const os::Files& files_;
  Git git_;
  std::vector<std::string> left_aside_;
  bool today_ = true;  // the newer side is the working tree
};

}  // namespace epwise::cli
