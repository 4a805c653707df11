#include "commands/gate/choice.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/text/source_file.h"
#include "commands/gate/dependants.h"
#include "recipe/load.h"
#include "session/files/places.h"

namespace epwise::cli {

Choice::Choice(const os::Files& files, const Git& git, const Arguments& arguments)
    : files_(files),
      git_(git),
      operands_(arguments.operands),
      from_index_(arguments.flag("--staged")) {
  const auto since = arguments.one("--since");
  if (since && from_index_) {
    throw os::UsageError("--since and --staged are mutually exclusive");
  }
  narrow_ = since.has_value() || from_index_;
  if (!narrow_) {
    return;
  }
  if (since) {
    revision_ = since->value;
  }
  std::set<std::string> names = since ? git.changed_since(revision_) : git.staged();
  root_ = git.root();
  open_submodules(names);
  for (const std::string& name : names) {
    const std::string place = join(root_, name);
    places_.insert(files_.canonical(place).value_or(place));
  }
  if (from_index_) {
    read_index(names);
  }
}

/// Git lists a submodule that moved to another commit as one name: its files take that name's place.
void Choice::open_submodules(std::set<std::string>& names) {
  std::vector<std::string> submodules;
  std::ranges::copy_if(names, std::back_inserter(submodules), [&](const std::string& name) {
    return files_.is_directory(join(root_, name));
  });
  for (const std::string& folder : submodules) {
    names.erase(folder);
    if (!from_index_) {
      names.merge(git_.changed_in_submodule(root_, folder, revision_));
      continue;
    }
    for (auto& [name, text] : git_.staged_in_submodule(root_, folder)) {
      const std::string place = join(root_, name);
      places_.insert(files_.canonical(place).value_or(place));
      staged_.emplace(place, std::move(text));
    }
  }
}

void Choice::read_index(const std::set<std::string>& names) {
  for (const std::string& name : names) {
    if (const auto text = git_.show_staged(name)) {
      staged_.emplace(join(root_, name), *text);
    } else {
      gone_.insert(join(root_, name));
    }
  }
}

void Choice::apply(FileSelection& selection) const {
  Dependants dependants(files_, places_);
  std::erase_if(selection.inputs, [&](const Input& input) {
    const auto place = files_.canonical(input.path);
    return input.standard || !place || gone_.contains(*place) ||
           (!places_.contains(*place) && !dependants.hold(input.path));
  });
  for (const auto& [place, text] : staged_) {
    if (!files_.canonical(place) && is_lintable(place) && is_asked_for(place)) {
      selection.inputs.push_back({shown(files_, place), false, false});
    }
  }
  std::ranges::sort(selection.inputs, {}, &Input::path);
}

bool Choice::is_asked_for(const std::string& place) const {
  return std::ranges::any_of(operands_, [&](const std::string& operand) {
    const auto folder = files_.canonical(operand);
    return folder && (*folder == "/" || below(*folder, place));
  });
}

std::vector<std::string> Choice::lost_recipes(const std::vector<std::string>& skipped) const {
  std::vector<std::string> lost;
  if (!narrow_) {
    return lost;
  }
  for (const std::string& path : skipped) {
    const auto name = below(root_, files_.canonical(path).value_or(path));
    // Before the first commit there is no HEAD, and nothing was a recipe.
    const bool known = name && (!from_index_ || git_.has_revision(revision_));
    const auto before = known ? git_.show(revision_, *name) : std::nullopt;
    if (before && recipe::sniff(text::SourceFile(path, *before))) {
      lost.push_back(path);
    }
  }
  return lost;
}

}  // namespace epwise::cli
