#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace epwise::cli {

/// One line of a .gitignore, .epwiseignore or of `paths` in .epwise.yaml, read as git reads it: a
/// pattern without a slash fits at any depth, one with a slash starts where the file stands, `!`
/// takes back, a trailing slash means folders only.
class PathPattern {
 public:
  /// nullopt for an empty line or a comment.
  static std::optional<PathPattern> parse(std::string_view line);

  /// `path` is relative to the place of the file that holds the pattern: "build/a.yaml".
  bool matches(std::string_view path, bool is_directory) const;

  /// The same, or a folder above `path` is matched.
  bool covers(std::string_view path) const;

  bool negated() const { return negated_; }

 private:
  std::string pattern_;
  bool negated_ = false;
  bool directories_only_ = false;
};

/// The patterns of one file.
std::vector<PathPattern> parse_patterns(std::string_view text);

}  // namespace epwise::cli
