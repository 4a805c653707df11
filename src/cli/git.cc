#include "cli/git.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "world/files.h"

namespace epwise::cli {

namespace {

using world::UsageError;

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
    throw UsageError(
        fmt::format("{}: git says nothing; is this a checkout, and git installed?", purpose));
  }
  return std::move(*answer);
}

/// A revision is never taken for an option.
void Git::check(const std::string& revision) const {
  const auto found =
      programs_ == nullptr || revision.starts_with('-')
          ? std::nullopt
          : programs_->output({"git", "rev-parse", "--verify", "--quiet", revision + "^{commit}"});
  if (!found) {
    throw UsageError(fmt::format("git knows no revision `{}` here", revision));
  }
}

std::set<std::string> Git::changed_since(const std::string& revision) const {
  check(revision);
  std::set<std::string> names;
  add_names(ask({"diff", "--name-only", "-z", "--relative", "--diff-filter=d", revision, "--"},
                "--since " + revision),
            names);
  add_names(ask({"ls-files", "--others", "--exclude-standard", "-z"}, "--since " + revision),
            names);
  return names;
}

std::set<std::string> Git::staged() const {
  std::set<std::string> names;
  add_names(ask({"diff", "--cached", "--name-only", "-z", "--relative", "--diff-filter=d", "--"},
                "--staged"),
            names);
  return names;
}

std::optional<std::string> Git::show(const std::string& revision, const std::string& path) const {
  check(revision);
  return programs_->output({"git", "show", revision + ":./" + path});
}

std::optional<std::string> Git::show_staged(const std::string& path) const {
  return programs_ == nullptr ? std::nullopt : programs_->output({"git", "show", ":./" + path});
}

}  // namespace epwise::cli
