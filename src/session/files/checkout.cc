#include "session/files/checkout.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/os/regular_files.h"
#include "base/text/ascii.h"
#include "session/files/places.h"

namespace epwise::session {

namespace {

constexpr std::size_t kLargestGitFile = std::size_t{1} << 20;

std::string read_small(const os::Files& files, const std::string& path) {
  try {
    return files.is_file(path) ? os::read_regular(files, path, kLargestGitFile) : "";
  } catch (const os::MissingError&) {
    return "";  // an unreadable checkout is described with less detail
  }
}

/// Takes the next line off the front.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return text::trimmed(line, text::kWhitespace);
}

/// A worktree's .git is a file with the location of its own state, whose `commondir` gives the
/// location of the shared state.
struct GitFolders {
  std::string own;
  std::string shared;
};

GitFolders git_folders(const os::Files& files, const std::string& root) {
  const std::string git = join(root, ".git");
  if (files.is_directory(git)) {
    return {git, git};
  }
  const std::string link = read_small(files, git);
  constexpr std::string_view kKey = "gitdir:";
  if (!link.starts_with(kKey)) {
    return {};
  }
  const std::string own =
      join(root, text::trimmed(std::string_view(link).substr(kKey.size()), text::kWhitespace));
  const std::string common(
      text::trimmed(read_small(files, join(own, "commondir")), text::kWhitespace));
  return {own, common.empty() ? own : join(own, common)};
}

std::string origin_of(const os::Files& files, const std::string& folder) {
  const std::string config = read_small(files, join(folder, "config"));
  std::string_view rest = config;
  bool in_origin = false;
  while (!rest.empty()) {
    const std::string_view line = next_line(rest);
    if (line.starts_with('[')) {
      in_origin = line == "[remote \"origin\"]";
    } else if (in_origin && line.starts_with("url")) {
      const std::size_t equals = line.find('=');
      return equals == std::string_view::npos
                 ? ""
                 : std::string(text::trimmed(line.substr(equals + 1), text::kWhitespace));
    }
  }
  return "";
}

/// "https://token@host/a/b" → "https://host/a/b"; "git@host:a/b" → "ssh://host/a/b".
std::string without_user(const std::string& address) {
  const std::size_t scheme = address.find("://");
  if (scheme == std::string::npos) {
    const std::size_t at = address.find('@');
    const std::size_t colon = address.find(':');
    if (colon == std::string::npos || address.starts_with('/')) {
      return "";  // a local directory is not disclosed
    }
    const std::size_t host = at == std::string::npos || at > colon ? 0 : at + 1;
    return "ssh://" + address.substr(host, colon - host) + "/" + address.substr(colon + 1);
  }
  if (address.starts_with("file:")) {
    return "";
  }
  const std::size_t begin = scheme + 3;
  const std::size_t end = address.find('/', begin);
  const std::size_t at = address.substr(0, end).rfind('@');
  return at == std::string::npos ? address : address.substr(0, begin) + address.substr(at + 1);
}

std::string packed_revision(const os::Files& files,
                            const std::string& folder,
                            std::string_view reference) {
  const std::string packed = read_small(files, join(folder, "packed-refs"));
  std::string_view rest = packed;
  while (!rest.empty()) {
    const std::string_view line = next_line(rest);
    const std::size_t blank = line.find(' ');
    if (blank != std::string_view::npos && line.substr(blank + 1) == reference) {
      return std::string(line.substr(0, blank));
    }
  }
  return "";
}

void read_git_head(const os::Files& files, const GitFolders& git, Checkout& checkout) {
  constexpr std::string_view kReference = "ref: ";
  constexpr std::string_view kBranch = "refs/heads/";
  const std::string text = read_small(files, join(git.own, "HEAD"));
  const std::string_view head = text::trimmed(text, text::kWhitespace);
  if (!head.starts_with(kReference)) {
    checkout.revision = head;
    return;
  }
  const std::string_view reference = head.substr(kReference.size());
  checkout.branch = reference.starts_with(kBranch) ? reference.substr(kBranch.size()) : reference;
  checkout.revision =
      text::trimmed(read_small(files, join(git.shared, reference)), text::kWhitespace);
  if (checkout.revision.empty()) {
    checkout.revision = packed_revision(files, git.shared, reference);
  }
}

}  // namespace

Checkout find_checkout(const os::Files& files) {
  Checkout checkout;
  const std::optional<std::string> here = files.canonical(".");
  if (!here) {
    return checkout;
  }
  const std::string root = enclosing_folders(files, *here).back();
  const GitFolders git = git_folders(files, root);
  if (git.own.empty()) {
    checkout.root = *here;
    return checkout;
  }
  checkout.root = root;
  if (root != *here) {
    checkout.prefix = below(root, *here).value_or("") + "/";
  }
  checkout.uri = without_user(origin_of(files, git.shared));
  read_git_head(files, git, checkout);
  return checkout;
}

Checkout checkout_around(const os::Files& files, std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string_view::npos ? "."
                             : slash == 0                    ? "/"
                                                             : std::string(path.substr(0, slash));
  Checkout checkout;
  checkout.here = files.canonical(".").value_or("");
  const std::optional<std::string> home = files.canonical(folder);
  if (!home) {
    checkout.root = checkout.here;
    return checkout;
  }
  const std::string root = enclosing_folders(files, *home).back();
  checkout.root = git_folders(files, root).own.empty() ? *home : root;
  return checkout;
}

std::string folded(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    if (part == ".." && !parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
    at = end + 1;
  }
  return fmt::format("{}", fmt::join(parts, "/"));
}

std::string repository_path(const Checkout& checkout, std::string_view path) {
  if (!path.starts_with('/') && !checkout.here.empty()) {
    const std::string absolute = "/" + folded(fmt::format("{}/{}", checkout.here, path));
    return below(checkout.root, absolute).value_or(absolute);
  }
  if (!path.starts_with('/')) {
    return folded(fmt::format("{}/{}", checkout.prefix, path));
  }
  std::string absolute = "/" + folded(path);
  const std::string root = checkout.root.ends_with('/') ? checkout.root : checkout.root + "/";
  const bool inside =
      root.size() > 1 && absolute.size() > root.size() && absolute.starts_with(root);
  return inside ? absolute.substr(root.size()) : absolute;
}

}  // namespace epwise::session
