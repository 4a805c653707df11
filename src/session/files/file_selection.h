#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/files.h"

namespace epwise::session {

/// Whether a shell pattern matches a whole path. `*` and `?` match within one name, `[a-z]` and
/// `[!a-z]` match one letter, a name `**` matches any number of directories (at the end: at least
/// one name), `\` quotes the next letter. Time is at most proportional to the product of both
/// lengths.
///   glob_matches("recipes/**/*.yaml", "recipes/a/b/c.yaml") → true
bool glob_matches(std::string_view pattern, std::string_view path);

/// Whether a word is a pattern: it contains `*`, `?` or `[`.
bool is_glob(std::string_view word);

/// One line of a .gitignore, .epwiseignore or of `paths` in .epwise.yaml, interpreted like git
/// does: a pattern without a slash matches at any depth, one with a slash is relative to the
/// directory of its file, `!` negates, a trailing slash matches only directories.
class PathPattern {
 public:
  /// nullopt for an empty line or a comment.
  static std::optional<PathPattern> parse(std::string_view line);

  /// `path` is relative to the directory of the file with the pattern: "build/a.yaml".
  bool matches(std::string_view path, bool is_directory) const;

  /// The same, or a parent directory of `path` matches.
  bool covers(std::string_view path) const;

  bool negated() const { return negated_; }

 private:
  std::string pattern_;
  bool negated_ = false;
  bool directories_only_ = false;
};

/// The patterns of one file.
std::vector<PathPattern> parse_patterns(std::string_view text);

/// A file, and the number of one of its recipes.
struct NumberedPath {
  std::string path;
  int number = 0;  // from 1; 0: all of them
};

/// Reads an operand as reports write a later launch of a script or document of a YAML stream. A
/// file with such a name takes precedence; without a file of the shorter name the operand stays
/// whole.
///   numbered_path(files, "job.sbatch#2") → {"job.sbatch", 2}
NumberedPath numbered_path(const os::Files& files, const std::string& operand);

/// Whether a word of the command line names standard input: `-`, or a name of its descriptor, which
/// could be read once and must not be written.
bool is_standard_input(std::string_view word);

/// One file to lint.
struct Input {
  std::string path;       // as displayed: "recipes/a.yaml"; "<stdin>" without --stdin-filename
  bool named = true;      // given by name; false: found in a directory or by a pattern
  bool standard = false;  // standard input
  int number = 0;         // only this recipe of the file, from 1; 0: all
};

/// The inputs given by the arguments of `epwise lint`.
struct FileSelection {
  std::vector<Input> inputs;            // sorted by path, each file once
  std::vector<std::string> unreadable;  // one message for each argument that cannot be read
  std::vector<std::string> empty;       // one for each directory without a file to read
};

/// A file is taken as it is, `job.sbatch#2` is one recipe of it; a directory gives every YAML file
/// (*.yaml, *.yml) and shell script (*.sh, *.bash, *.sbatch, *.slurm, *.sub) below it; a word with
/// `*`, `?` or `[` that is not a file name gives the files it matches;
/// `-` is standard input under the name `standard_name`. Directories and patterns skip `.git` and everything excluded by .gitignore and .epwiseignore
/// files between the repository's root and the file; links to a parent directory are not followed.
FileSelection select_files(const os::Files& files,
                           const std::vector<std::string>& arguments,
                           const std::string& standard_name);

/// Whether a directory search includes a file of that name.
bool is_lintable(const std::string& name);

}  // namespace epwise::session
