#include "commands/gate/git.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/os/files.h"

namespace epwise::cli {

namespace {

using os::UsageError;

/// "a\0b\0" → a, b
void add_names(const std::string& list, std::set<std::string>& names) {
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find('\0', at), list.size());
    names.insert(list.substr(at, end - at));
    at = end + 1;
  }
}

}  // namespace

std::string Git::ask(std::vector<std::string> words, const std::string& purpose) const {
  words.insert(words.begin(), "git");
  auto answer = programs_ == nullptr ? std::nullopt : programs_->output(words);
  if (!answer) {
    throw UsageError(fmt::format("{}: {}", purpose, why_silent()));
  }
  return std::move(*answer);
}

/// Git's own explanation of a failure, and what helps.
std::string Git::why_silent() const {
  const auto asked = programs_ == nullptr
                         ? std::nullopt
                         : programs_->output({"sh",
                                              "-c",
                                              "LC_ALL=C git rev-parse --show-toplevel 2>&1 "
                                              ">/dev/null | head -n 1"});
  std::string words = asked.value_or("");
  words.erase(words.find_last_not_of("\r\n ") + 1);
  if (words.empty()) {
    return "no answer from git; is it installed, and is this a checkout?";
  }
  const bool owner = words.find("dubious ownership") != std::string::npos;
  return fmt::format(
      "git: {}{}",
      words,
      owner ? " (`git config --global --add safe.directory \"$PWD\"` if you trust it)" : "");
}

bool Git::has_revision(const std::string& revision) const {
  return programs_ != nullptr && !revision.empty() && !revision.starts_with('-') &&
         programs_->output({"git", "rev-parse", "--verify", "--quiet", revision + "^{commit}"});
}

/// A revision is never interpreted as an option.
void Git::check(const std::string& revision) const {
  if (!has_revision(revision)) {
    ask({"rev-parse", "--git-dir"}, fmt::format("revision `{}`", revision));  // or reports why not
    const auto shallow = programs_->output({"git", "rev-parse", "--is-shallow-repository"});
    throw UsageError(fmt::format(
        "unknown git revision `{}`{}",
        revision,
        shallow && shallow->starts_with("true")
            ? ": this is a shallow clone, fetch the full history (`git fetch --unshallow`, "
              "`fetch-depth: 0` of actions/checkout, `GIT_DEPTH: 0` of GitLab)"
            : ""));
  }
}

std::string Git::root() const {
  std::string root = ask({"rev-parse", "--show-toplevel"}, "the root of the checkout");
  if (root.ends_with('\n')) {
    root.pop_back();
  }
  return root;
}

std::set<std::string> Git::changed_since(const std::string& revision) const {
  check(revision);
  std::set<std::string> names;
  const std::string purpose = "--since " + revision;
  add_names(
      ask({"diff", "--name-only", "-z", "--no-relative", "--no-renames", revision, "--"}, purpose),
      names);
  add_names(ask({"ls-files", "--others", "--exclude-standard", "--full-name", "-z", ":/"}, purpose),
            names);
  return names;
}

std::set<std::string> Git::staged() const {
  std::set<std::string> names;
  add_names(ask({"diff", "--cached", "--name-only", "-z", "--no-relative", "--no-renames", "--"},
                "--staged"),
            names);
  return names;
}

/// The commit that "main:modules/recipes" or ":modules/recipes" (the index) stands for; empty if there
/// is none.
std::string Git::recorded_commit(const std::string& object) const {
  std::string commit =
      programs_->output({"git", "rev-parse", "--verify", "--quiet", object}).value_or("");
  commit.erase(commit.find_last_not_of("\r\n ") + 1);
  return commit;
}

std::optional<std::string> Git::ask_in(const std::string& place,
                                       const std::vector<std::string>& words) const {
  std::vector<std::string> command{"git", "-C", place};
  command.insert(command.end(), words.begin(), words.end());
  return programs_->output(command);
}

std::set<std::string> Git::changed_in_submodule(const std::string& root,
                                                const std::string& folder,
                                                const std::string& revision) const {
  const std::string place = root + "/" + folder;
  const std::string before = recorded_commit(revision + ":" + folder);
  auto changed =
      before.empty()
          ? std::nullopt
          : ask_in(place,
                   {"diff", "--name-only", "-z", "--no-relative", "--no-renames", before, "--"});
  if (!changed) {
    changed = ask_in(place, {"ls-files", "-z"});
  }
  std::set<std::string> names;
  add_names(changed.value_or(""), names);
  add_names(ask_in(place, {"ls-files", "--others", "--exclude-standard", "-z"}).value_or(""),
            names);
  std::set<std::string> full;
  for (const std::string& name : names) {
    full.insert(folder + "/" + name);
  }
  return full;
}

std::map<std::string, std::string> Git::staged_in_submodule(const std::string& root,
                                                            const std::string& folder) const {
  const std::string place = root + "/" + folder;
  const std::string before = recorded_commit("HEAD:" + folder);
  const std::string now = recorded_commit(":" + folder);
  auto changed =
      before.empty()
          ? std::nullopt
          : ask_in(place, {"diff", "--name-only", "-z", "--no-renames", before, now, "--"});
  if (!changed) {
    changed = ask_in(place, {"ls-tree", "-r", "-z", "--name-only", now});
  }
  std::set<std::string> names;
  add_names(changed.value_or(""), names);
  std::map<std::string, std::string> texts;
  for (const std::string& name : names) {
    if (auto text = ask_in(place, {"cat-file", "blob", now + ":" + name})) {
      texts.emplace(folder + "/" + name, std::move(*text));
    }
  }
  return texts;
}

std::set<std::string> Git::changed_between(const std::string& old, const std::string& now) const {
  check(old);
  check(now);
  std::set<std::string> names;
  add_names(ask({"diff", "--name-only", "-z", "--no-relative", "--no-renames", old, now, "--"},
                old + " and " + now),
            names);
  return names;
}

std::optional<std::string> Git::show(const std::string& revision, const std::string& name) const {
  check(revision);
  const std::string listed =
      ask({"ls-tree", "-z", "--full-tree", "--name-only", revision, "--", name}, revision);
  return listed.empty() ? std::nullopt
                        : std::optional(ask({"cat-file", "blob", revision + ":" + name},
                                            fmt::format("{} of {}", name, revision)));
}

std::optional<std::string> Git::renamed_from(const std::string& revision,
                                             const std::string& name) const {
  check(revision);
  const std::string list =
      ask({"diff", "--name-status", "-z", "--no-relative", "-M", "--diff-filter=R", revision, "--"},
          revision);
  std::vector<std::string> words;  // R087, before, after, R100, …
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find('\0', at), list.size());
    words.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  for (std::size_t i = 0; i + 2 < words.size(); i += 3) {
    if (words[i + 2] == name) {
      return words[i + 1];
    }
  }
  return std::nullopt;
}

std::optional<std::string> Git::show_staged(const std::string& name) const {
  return programs_ == nullptr ? std::nullopt
                              : programs_->output({"git", "cat-file", "blob", ":" + name});
}

}  // namespace epwise::cli
