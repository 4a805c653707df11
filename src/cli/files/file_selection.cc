#include "cli/files/file_selection.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "cli/files/glob.h"
#include "cli/files/path_pattern.h"
#include "cli/files/places.h"

namespace epwise::cli {

namespace {

/// A folder under two names: as the user sees it and absolute.
struct Folder {
  std::string shown;
  std::string absolute;
};

/// The ignore files of one folder.
struct IgnoreFile {
  std::string folder;  // absolute
  std::vector<PathPattern> patterns;
};

IgnoreFile read_ignore_file(const world::Files& files, const std::string& folder) {
  IgnoreFile result{folder, {}};
  for (const char* name : {".gitignore", ".epwiseignore"}) {
    const std::string path = join(folder, name);
    if (files.is_file(path)) {
      for (PathPattern& pattern : parse_patterns(files.read(path))) {
        result.patterns.push_back(std::move(pattern));
      }
    }
  }
  return result;
}

/// What an argument stands for.
struct Found {
  std::vector<Input> inputs;
  std::vector<std::string> problems;
};

/// Goes through a folder and keeps the files that `wanted` takes.
class Walk {
 public:
  /// `pattern`: files must match it as shown; empty: every YAML file and shell script.
  Walk(const world::Files& files, std::string pattern)
      : files_(files),
        pattern_(std::move(pattern)) {}

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
    } catch (const world::MissingError& error) {
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
    } else if (is_wanted(place.shown)) {  // a link to nothing too: whoever reads it will say so
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

  /// The last line of the deepest file that says something counts, as in git.
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

  const world::Files& files_;
  std::string pattern_;
  std::vector<IgnoreFile> ignores_;
  std::set<std::string> entered_;
  Found found_;
};

/// "./recipes//a.yaml" → "recipes/a.yaml"; ".." stays, because it may pass a link.
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

/// The folder in front of the first name with a wildcard: "recipes/*/a.yaml" → "recipes".
std::string fixed_folder(const std::string& pattern) {
  return parent_of(pattern.substr(0, pattern.find_first_of("*?[") + 1));
}

Found expand(const world::Files& files, const std::string& argument) {
  if (argument.empty()) {
    return {{}, {"the name of a file is empty: is a variable of the shell unset?"}};
  }
  const std::string path = tidy(argument);
  if (files.is_file(path)) {
    return {{{path, true, false}}, {}};
  }
  if (files.is_directory(path)) {
    Found found = Walk(files, "").run(path);
    if (found.inputs.empty() && found.problems.empty()) {
      found.problems.push_back(
          fmt::format("{}: no YAML file or shell script in this folder", argument));
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
  return {{}, {fmt::format("{}: no such file or folder", argument)}};
}

}  // namespace

FileSelection select_files(const world::Files& files,
                           const std::vector<std::string>& arguments,
                           const std::string& standard_name) {
  FileSelection selection;
  for (const std::string& argument : arguments) {
    Found found;
    if (argument == "-") {
      found.inputs.push_back({standard_name.empty() ? "<stdin>" : standard_name, true, true});
    } else {
      found = expand(files, argument);
    }
    std::ranges::move(found.inputs, std::back_inserter(selection.inputs));
    std::ranges::move(found.problems, std::back_inserter(selection.unreadable));
  }
  // A file that is named and also found in a folder counts as named.
  std::ranges::sort(selection.inputs, [](const Input& a, const Input& b) {
    return std::pair(a.path, !a.named) < std::pair(b.path, !b.named);
  });
  const auto same = [](const Input& a, const Input& b) {
    return a.path == b.path && a.standard == b.standard;
  };
  selection.inputs.erase(std::unique(selection.inputs.begin(), selection.inputs.end(), same),
                         selection.inputs.end());
  return selection;
}

bool is_lintable(const std::string& name) {
  constexpr std::array<std::string_view, 7> kEndings = {
      ".yaml", ".yml", ".sh", ".bash", ".sbatch", ".slurm", ".sub"};
  return std::ranges::any_of(kEndings,
                             [&name](std::string_view end) { return name.ends_with(end); });
}

}  // namespace epwise::cli
