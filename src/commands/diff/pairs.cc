#include "commands/diff/pairs.h"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "commands/gate/dependants.h"
#include "session/files/file_selection.h"
#include "session/files/places.h"
#include "session/workspace.h"

namespace epwise::cli {

namespace {

using os::UsageError;

constexpr std::string_view kWhich =
    "nothing to compare: `epwise diff old.yaml new.yaml`, `epwise diff main:a.yaml`, or as in git: "
    "`epwise diff main a.yaml`, `epwise diff main`, `epwise diff main..topic`";

/// Whether lint would consider such a text in a directory. An unreadable file counts as a recipe,
/// so that it is reported.
class Sorter {
 public:
  explicit Sorter(const Console& console) : workspace_(console.host(), {}) {}

  bool is_recipe(const std::optional<DiffSource>& source) {
    if (!source) {
      return false;
    }
    try {
      return !is_not_a_recipe(analyze(workspace_.open({source->path, source->text, false})));
    } catch (const UsageError&) {
      return true;
    } catch (const os::MissingError&) {
      return true;
    }
  }

 private:
  Workspace workspace_;
};

}  // namespace

std::vector<DiffPair> DiffPairs::of(const std::vector<std::string>& operands) {
  if (operands.empty()) {
    throw UsageError(std::string(kWhich));
  }
  const auto [old, now] = revisions(operands.front());
  if (!old.empty()) {
    today_ = now.empty();
    return operands.size() == 1 ? all_between(old, now)
                                : named({operands.begin() + 1, operands.end()}, old, now);
  }
  if (operands.size() > 2) {
    throw UsageError(std::string(kWhich));
  }
  DiffSource first = source_of(operands.front());
  if (operands.size() == 1 && !first.text) {
    throw UsageError(std::string(kWhich));
  }
  DiffSource second = operands.size() == 1 ? DiffSource{first.path, first.path, std::nullopt}
                                           : source_of(operands[1]);
  return {{first.path, std::move(first), std::move(second)}};
}

/// "main" → main and nothing (the working tree); "a..b" → both; nothing if it is a file.
std::pair<std::string, std::string> DiffPairs::revisions(const std::string& word) const {
  if (files_.is_file(word)) {
    return {};
  }
  const std::size_t dots = word.find("..");
  if (dots != std::string::npos && dots > 0) {
    const std::string old = word.substr(0, dots);
    const std::string now = word.substr(dots + 2);
    if (git_.has_revision(old) && (now.empty() || git_.has_revision(now))) {
      return {old, now.empty() ? "HEAD" : now};
    }
  }
  return git_.has_revision(word) ? std::pair(word, std::string())
                                 : std::pair<std::string, std::string>();
}

/// Relative to the root of the checkout.
std::string DiffPairs::name_in_checkout(const std::string& path) const {
  const std::string absolute = join(folder_of(files_, path), path.substr(path.rfind('/') + 1));
  const auto name = below(git_.root(), absolute);
  if (!name) {
    throw UsageError(fmt::format("{} is outside the checkout", path));
  }
  return *name;
}

/// An empty revision is the working tree.
std::optional<DiffSource> DiffPairs::at(const std::string& revision,
                                        const std::string& path) const {
  if (revision.empty()) {
    return files_.is_file(path) ? std::optional(DiffSource{path, path, std::nullopt})
                                : std::nullopt;
  }
  auto text = git_.show(revision, name_in_checkout(path));
  return text ? std::optional(DiffSource{revision + ":" + path, path, std::move(text)})
              : std::nullopt;
}

std::vector<DiffPair> DiffPairs::named(const std::vector<std::string>& paths,
                                       const std::string& old,
                                       const std::string& now) const {
  std::vector<DiffPair> pairs;
  for (const std::string& path : paths) {
    DiffPair pair{path, at(old, path), at(now, path)};
    if (!pair.old && !pair.now) {
      throw os::MissingError(fmt::format("no such file: {}, and none in {}", path, old));
    }
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

/// Recipes and launch scripts; other changed files are skipped.
std::vector<DiffPair> DiffPairs::all_between(const std::string& old, const std::string& now) {
  std::vector<DiffPair> pairs;
  const std::string root = git_.root();
  Sorter sorter(console_);
  for (const std::string& name :
       now.empty() ? git_.changed_since(old) : git_.changed_between(old, now)) {
    if (!is_lintable(name)) {
      continue;
    }
    const std::string path = shown(files_, join(root, name));
    DiffPair pair{path, at(old, path), at(now, path)};
    if (sorter.is_recipe(pair.old) || sorter.is_recipe(pair.now)) {
      pairs.push_back(std::move(pair));
    } else {
      left_aside_.push_back(path);
    }
  }
  return pairs;
}

DiffSource DiffPairs::source_of(const std::string& word) const {
  const std::size_t colon = word.find(':');
  const NumberedPath numbered = numbered_path(files_, word);
  if (files_.is_file(numbered.path) || word == "-") {
    return {word, numbered.path, std::nullopt, numbered.number};
  }
  if (colon == std::string::npos || colon == 0) {
    throw os::MissingError(
        fmt::format("{}: neither a file nor a git revision in this checkout", word));
  }
  const std::string path = word.substr(colon + 1);
  auto found = at(word.substr(0, colon), path);
  if (!found) {
    throw os::MissingError(fmt::format("{} has no file {}", word.substr(0, colon), path));
  }
  return std::move(*found);
}

std::vector<std::string> DiffPairs::naming(const std::string& path) const {
  std::vector<std::string> names;
  if (!today_) {
    return names;
  }
  const std::string root = git_.root();
  const std::string place = join(root, name_in_checkout(path));
  Dependants dependants(files_, {place});
  for (const Input& input : select_files(files_, {shown(files_, root)}, "").inputs) {
    if (dependants.hold(input.path)) {
      names.push_back(input.path);
    }
  }
  return names;
}

}  // namespace epwise::cli
