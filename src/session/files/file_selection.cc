#include "session/files/file_selection.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/os/regular_files.h"
#include "base/text/ascii.h"
#include "base/text/wildcard.h"
#include "base/units/checked.h"
#include "session/files/places.h"

namespace epwise::session {

namespace {

std::vector<std::string_view> split_path(std::string_view path) {
  std::vector<std::string_view> names;
  while (true) {
    const std::size_t slash = path.find('/');
    names.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) {
      return names;
    }
    path.remove_prefix(slash + 1);
  }
}

/// How many letters of a pattern that starts with a bracket take this one; 0: they don't.
std::size_t match_set(std::string_view pattern, char letter) {
  std::size_t i = 1;
  const bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  i += negated ? 1 : 0;
  bool inside = false;
  for (bool first = true; i < pattern.size() && (first || pattern[i] != ']'); first = false) {
    const char low = pattern[i];
    const bool range = i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']';
    const char high = range ? pattern[i + 2] : low;
    inside = inside || (low <= letter && letter <= high);
    i += range ? 3 : 1;
  }
  if (i >= pattern.size()) {
    return letter == '[' ? 1 : 0;  // unclosed: a literal bracket
  }
  return inside != negated ? i + 1 : 0;
}

std::size_t match_letter(std::string_view pattern, char letter) {
  switch (pattern.front()) {
    case '?':
      return 1;
    case '[':
      return match_set(pattern, letter);
    case '\\':
      return pattern.size() > 1 ? (pattern[1] == letter ? 2 : 0) : (letter == '\\' ? 1 : 0);
    default:
      return pattern.front() == letter ? 1 : 0;
  }
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view path) {
  const std::vector<std::string_view> patterns = split_path(pattern);
  const std::vector<std::string_view> names = split_path(path);
  const std::size_t end = text::match_wildcards(
      patterns.size(),
      names.size(),
      [&](std::size_t p) { return patterns[p] == "**"; },
      [&](std::size_t p, std::size_t n) {
        const bool fits = text::matches_wildcards(patterns[p], names[n], match_letter);
        return static_cast<std::size_t>(fits ? 1 : 0);
      });
  return end == patterns.size();  // a last `**` takes at least one name
}

bool is_glob(std::string_view word) {
  return word.find_first_of("*?[") != std::string_view::npos;
}

std::optional<PathPattern> PathPattern::parse(std::string_view line) {
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  while (line.ends_with(' ') && !line.ends_with("\\ ")) {
    line.remove_suffix(1);
  }
  if (line.empty() || line.front() == '#') {
    return std::nullopt;
  }
  PathPattern result;
  if (line.front() == '!') {
    result.negated_ = true;
    line.remove_prefix(1);
  }
  if (line.ends_with('/')) {
    result.directories_only_ = true;
    line.remove_suffix(1);
  }
  const bool anchored = line.find('/') != std::string_view::npos;
  if (line.starts_with('/')) {
    line.remove_prefix(1);
  }
  if (line.empty()) {
    return std::nullopt;
  }
  result.pattern_ = (anchored ? "" : "**/") + std::string(line);
  return result;
}

bool PathPattern::matches(std::string_view path, bool is_directory) const {
  return (is_directory || !directories_only_) && glob_matches(pattern_, path);
}

bool PathPattern::covers(std::string_view path) const {
  if (matches(path, false)) {
    return true;
  }
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/', slash + 1)) {
    if (matches(path.substr(0, slash), true)) {
      return true;
    }
  }
  return false;
}

std::vector<PathPattern> parse_patterns(std::string_view text) {
  std::vector<PathPattern> patterns;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (std::optional<PathPattern> pattern = PathPattern::parse(text.substr(0, end))) {
      patterns.push_back(*pattern);
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return patterns;
}

namespace {

/// A directory under two names: as displayed and absolute.
struct Folder {
  std::string shown;
  std::string absolute;
};

/// The ignore files of one directory.
struct IgnoreFile {
  std::string folder;  // absolute
  std::vector<PathPattern> patterns;
};

IgnoreFile read_ignore_file(const os::Files& files, const std::string& folder) {
  IgnoreFile result{folder, {}};
  for (const char* name : {".gitignore", ".epwiseignore"}) {
    const std::string path = join(folder, name);
    if (files.is_file(path)) {
      for (PathPattern& pattern : parse_patterns(os::read_regular(files, path))) {
        result.patterns.push_back(std::move(pattern));
      }
    }
  }
  return result;
}

/// The files given by an argument.
struct Found {
  std::vector<Input> inputs;
  std::vector<std::string> problems;
  std::vector<std::string> empty = {};  // directories without a file to read
};

/// Walks a directory and keeps the files accepted by `wanted`.
class Walk {
 public:
  /// `pattern`: must match the displayed name; empty: every YAML file and shell script.
  Walk(const os::Files& files, std::string pattern) : files_(files), pattern_(std::move(pattern)) {}

  Found run(const std::string& start) {
    const std::string absolute = files_.canonical(start).value_or(start);
    std::vector<std::string> above = enclosing_folders(files_, absolute);
    for (std::size_t i = above.size(); i-- > 1;) {
      ignores_.push_back(read_ignore_file(files_, above[i]));
    }
    enter({start, absolute});
    return std::move(found_);
  }

 private:
  void enter(const Folder& folder) {
    const std::string real = files_.canonical(folder.absolute).value_or(folder.absolute);
    if (!entered_.insert(real).second) {
      return;
    }
    ignores_.push_back(read_ignore_file(files_, folder.absolute));
    for (const std::string& name : names_in(folder)) {
      visit({join(folder.shown, name), join(folder.absolute, name)}, name);
    }
    ignores_.pop_back();
  }

  std::vector<std::string> names_in(const Folder& folder) {
    try {
      return files_.list(folder.shown);
    } catch (const os::MissingError& error) {
      found_.problems.emplace_back(error.what());
      return {};
    }
  }

  void visit(const Folder& place, const std::string& name) {
    const bool is_directory = files_.is_directory(place.absolute);
    if (name == ".git" || is_ignored(place.absolute, is_directory)) {
      return;
    }
    if (is_directory) {
      enter(place);
    } else if (is_wanted(place.shown)) {  // includes dangling links: whoever reads one reports it
      found_.inputs.push_back({place.shown, false, false});
    }
  }

  bool is_wanted(const std::string& path) const {
    if (pattern_.empty()) {
      const bool configuration = path.substr(path.rfind('/') + 1) == ".epwise.yaml";
      return is_lintable(path) && !configuration;
    }
    return glob_matches(pattern_, path);
  }

  /// The last matching line of the deepest file wins, as in git.
  bool is_ignored(const std::string& absolute, bool is_directory) const {
    for (auto file = ignores_.rbegin(); file != ignores_.rend(); ++file) {
      const std::optional<std::string> path = below(file->folder, absolute);
      if (!path.has_value()) {
        continue;
      }
      const auto last = std::find_if(
          file->patterns.rbegin(), file->patterns.rend(), [&](const PathPattern& pattern) {
            return pattern.matches(*path, is_directory);
          });
      if (last != file->patterns.rend()) {
        return !last->negated();
      }
    }
    return false;
  }

  const os::Files& files_;
  std::string pattern_;
  std::vector<IgnoreFile> ignores_;
  std::set<std::string> entered_;
  Found found_;
};

/// "./recipes//a.yaml" → "recipes/a.yaml"; ".." is kept, because it may cross a link.
std::string tidy(std::string_view path) {
  std::string result;
  for (const char c : path) {
    if (c != '/' || !result.ends_with('/')) {
      result += c;
    }
    if (result == "./") {
      result.clear();
    }
  }
  if (result.size() > 1 && result.ends_with('/')) {
    result.pop_back();
  }
  return result.empty() ? "." : result;
}

/// The directory before the first name with a wildcard: "recipes/*/a.yaml" → "recipes".
std::string fixed_folder(const std::string& pattern) {
  return parent_of(pattern.substr(0, pattern.find_first_of("*?[") + 1));
}

Found expand(const os::Files& files, const std::string& argument) {
  if (argument.empty()) {
    return {{}, {"empty file name; is a shell variable unset?"}};
  }
  const std::string path = tidy(argument);
  const NumberedPath numbered = numbered_path(files, path);
  if (files.is_file(numbered.path)) {
    return {{{numbered.path, true, false, numbered.number}}, {}};
  }
  if (files.is_directory(path)) {
    Found found = Walk(files, "").run(path);
    if (found.inputs.empty() && found.problems.empty()) {
      found.empty.push_back(
          fmt::format("{}: no YAML file or shell script in this directory", argument));
    }
    return found;
  }
  if (is_glob(path)) {
    Found found = Walk(files, path).run(fixed_folder(path));
    if (found.inputs.empty() && found.problems.empty()) {
      found.problems.push_back(fmt::format("{}: no file matches this pattern", argument));
    }
    return found;
  }
  return {{}, {fmt::format("{}: no such file or directory", argument)}};
}

}  // namespace

bool is_standard_input(std::string_view word) {
  constexpr std::array<std::string_view, 4> kNames = {
      "-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"};
  return std::ranges::find(kNames, word) != kNames.end();
}

NumberedPath numbered_path(const os::Files& files, const std::string& operand) {
  const std::size_t hash = operand.rfind('#');
  if (hash == std::string::npos || files.is_file(operand)) {
    return {operand};
  }
  const std::string path = operand.substr(0, hash);
  const auto number =
      units::whole_number(operand.substr(hash + 1), 0, std::numeric_limits<int>::max());
  if (!number || !files.is_file(path)) {
    return {operand};
  }
  if (*number == 0) {
    throw os::UsageError(fmt::format("{}: the recipes of a file are counted from 1", operand));
  }
  return {path, *number};
}

FileSelection select_files(const os::Files& files,
                           const std::vector<std::string>& arguments,
                           const std::string& standard_name) {
  FileSelection selection;
  for (const std::string& argument : arguments) {
    Found found;
    if (is_standard_input(argument)) {
      found.inputs.push_back({standard_name.empty() ? "<stdin>" : standard_name, true, true});
    } else {
      found = expand(files, argument);
    }
    std::ranges::move(found.inputs, std::back_inserter(selection.inputs));
    std::ranges::move(found.problems, std::back_inserter(selection.unreadable));
    std::ranges::move(found.empty, std::back_inserter(selection.empty));
  }
  for (Input& input : selection.inputs) {
    input.path = text::path_for_logs(input.path);
  }
  // A file that is both named and found in a directory counts as named.
  std::ranges::sort(selection.inputs, [](const Input& a, const Input& b) {
    return std::tuple(a.path, a.number, !a.named) < std::tuple(b.path, b.number, !b.named);
  });
  const auto same = [](const Input& a, const Input& b) {
    return a.path == b.path && a.standard == b.standard && (a.number == b.number || a.number == 0);
  };
  selection.inputs.erase(std::unique(selection.inputs.begin(), selection.inputs.end(), same),
                         selection.inputs.end());
  return selection;
}

bool is_lintable(const std::string& name) {
  constexpr std::array<std::string_view, 7> kEndings = {
      ".yaml", ".yml", ".sh", ".bash", ".sbatch", ".slurm", ".sub"};
  const std::string lowered = text::lower(name);
  return std::ranges::any_of(kEndings,
                             [&](std::string_view end) { return lowered.ends_with(end); });
}

}  // namespace epwise::session
