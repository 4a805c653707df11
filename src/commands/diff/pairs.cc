#include "commands/diff/pairs.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "commands/gate/dependants.h"
#include "commands/simulate/inputs.h"
#include "session/files/file_selection.h"
#include "session/files/places.h"
#include "session/workspace.h"
#include "ui/standard_input.h"

namespace epwise::cli {

namespace {

using os::UsageError;

constexpr std::string_view kWhich =
    "nothing to compare: `epwise diff old.yaml new.yaml`, `epwise diff main:a.yaml`, or as in git: "
    "`epwise diff main a.yaml`, `epwise diff main`, `epwise diff main..topic`, or two directories: "
    "`epwise diff old/ new/`";

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

std::vector<DiffPair> DiffPairs::of(const Arguments& arguments) {
  const std::vector<std::string>& operands = arguments.operands;
  if (operands.empty()) {
    throw UsageError(std::string(kWhich));
  }
  const auto [old, now] = revisions(operands.front());
  if (!old.empty()) {
    today_ = now.empty();
    return operands.size() == 1 ? recipes_of(changed_between(old, now))
                                : named({operands.begin() + 1, operands.end()}, old, now);
  }
  if (operands.size() > 2) {
    throw UsageError(std::string(kWhich));
  }
  if (operands.size() == 2 && files_.is_directory(operands[0]) &&
      files_.is_directory(operands[1])) {
    today_ = false;
    return between_directories(operands[0], operands[1]);
  }
  if (operands.size() == 1 && is_standard_input(operands.front())) {
    throw UsageError(std::string(kWhich));
  }
  DiffSource first = source_of(operands.front(), arguments);
  if (operands.size() == 1 && !first.text) {
    throw UsageError(std::string(kWhich));
  }
  DiffSource second = operands.size() == 1 ? DiffSource{first.path, first.path, std::nullopt}
                                           : source_of(operands[1], arguments);
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
                                       const std::string& now) {
  std::vector<DiffPair> pairs;
  std::optional<std::vector<DiffPair>> changed;
  for (const std::string& path : paths) {
    if (files_.is_directory(path)) {
      if (!changed) {
        changed = changed_between(old, now);
      }
      std::vector<DiffPair> inside = *changed;
      const std::string folder = files_.canonical(path).value_or(path);
      std::erase_if(inside, [&](const DiffPair& pair) {
        return !below(folder, join(git_.root(), name_in_checkout(pair.path)));
      });
      std::ranges::move(recipes_of(std::move(inside)), std::back_inserter(pairs));
      continue;
    }
    DiffPair pair{path, at(old, path), at(now, path)};
    if (!pair.old && !pair.now) {
      throw os::MissingError(fmt::format("no such file: {}, and none in {}", path, old));
    }
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

/// Files of the same name below each, and those that only one has.
std::vector<DiffPair> DiffPairs::between_directories(const std::string& old,
                                                     const std::string& now) {
  std::vector<DiffPair> pairs;
  const auto source = [](const std::string& path) { return DiffSource{path, path, std::nullopt}; };
  const InputPairs inputs = paired_inputs(files_, old, now);
  for (const InputPairs::Pair& pair : inputs.pairs) {
    pairs.push_back({pair.b, source(pair.a), source(pair.b)});
  }
  for (const std::string& path : inputs.only_a) {
    pairs.push_back({path, source(path), std::nullopt});
  }
  for (const std::string& path : inputs.only_b) {
    pairs.push_back({path, std::nullopt, source(path)});
  }
  pairs = recipes_of(std::move(pairs));
  if (pairs.empty()) {
    throw os::NothingError(fmt::format("{} and {} contain no recipe", old, now));
  }
  return pairs;
}

/// Changed files that may be recipes or launch scripts.
std::vector<DiffPair> DiffPairs::changed_between(const std::string& old,
                                                 const std::string& now) const {
  std::vector<DiffPair> pairs;
  const std::string root = git_.root();
  for (const std::string& name :
       now.empty() ? git_.changed_since(old) : git_.changed_between(old, now)) {
    if (!is_lintable(name)) {
      continue;
    }
    const std::string path = shown(files_, join(root, name));
    pairs.push_back({path, at(old, path), at(now, path)});
  }
  return pairs;
}

std::vector<DiffPair> DiffPairs::recipes_of(std::vector<DiffPair> pairs) {
  Sorter sorter(console_);
  std::erase_if(pairs, [&](const DiffPair& pair) {
    if (sorter.is_recipe(pair.old) || sorter.is_recipe(pair.now)) {
      return false;
    }
    left_aside_.push_back(pair.path);
    return true;
  });
  return pairs;
}

DiffSource DiffPairs::source_of(const std::string& word, const Arguments& arguments) const {
  if (is_standard_input(word)) {
    return {"<stdin>", "<stdin>", read_standard_input(arguments, console_)};
  }
  const std::size_t colon = word.find(':');
  const NumberedPath numbered = numbered_path(files_, word);
  if (files_.is_file(numbered.path)) {
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
