#include "cli/files/checkout.h"

#include <optional>
#include <string>
#include <string_view>

#include "cli/files/places.h"

namespace epwise::cli {

namespace {

constexpr std::size_t kLargest = std::size_t{1} << 20;

std::string read_small(const world::Files& files, const std::string& path) {
  try {
    return files.is_file(path) ? files.read(path, kLargest) : "";
  } catch (const world::MissingError&) {
    return "";  // a checkout that can't be read is described by less
  }
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  return text.substr(0, text.find_last_not_of(kBlank) + 1);
}

/// Takes the next line off the front.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return trimmed(line);
}

/// A worktree's .git is a file that says where its own state is, whose `commondir` says where that
/// of all worktrees is.
struct GitFolders {
  std::string own;
  std::string shared;
};

GitFolders git_folders(const world::Files& files, const std::string& root) {
  const std::string git = join(root, ".git");
  if (files.is_directory(git)) {
    return {git, git};
  }
  const std::string link = read_small(files, git);
  constexpr std::string_view kKey = "gitdir:";
  if (!link.starts_with(kKey)) {
    return {};
  }
  const std::string own = join(root, trimmed(std::string_view(link).substr(kKey.size())));
  const std::string common(trimmed(read_small(files, join(own, "commondir"))));
  return {own, common.empty() ? own : join(own, common)};
}

std::string origin_of(const world::Files& files, const std::string& folder) {
  const std::string config = read_small(files, join(folder, "config"));
  std::string_view rest = config;
  bool in_origin = false;
  while (!rest.empty()) {
    const std::string_view line = next_line(rest);
    if (line.starts_with('[')) {
      in_origin = line == "[remote \"origin\"]";
    } else if (in_origin && line.starts_with("url")) {
      const std::size_t equals = line.find('=');
      return equals == std::string_view::npos ? "" : std::string(trimmed(line.substr(equals + 1)));
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
      return "";  // a folder of this machine is nobody else's business
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

std::string packed_revision(const world::Files& files,
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

void read_head(const world::Files& files, const GitFolders& git, report::Checkout& checkout) {
  constexpr std::string_view kReference = "ref: ";
  constexpr std::string_view kBranch = "refs/heads/";
  const std::string text = read_small(files, join(git.own, "HEAD"));
  const std::string_view head = trimmed(text);
  if (!head.starts_with(kReference)) {
    checkout.revision = head;
    return;
  }
  const std::string_view reference = head.substr(kReference.size());
  checkout.branch = reference.starts_with(kBranch) ? reference.substr(kBranch.size()) : reference;
  checkout.revision = trimmed(read_small(files, join(git.shared, reference)));
  if (checkout.revision.empty()) {
    checkout.revision = packed_revision(files, git.shared, reference);
  }
}

}  // namespace

report::Checkout find_checkout(const world::Files& files) {
  report::Checkout checkout;
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
  read_head(files, git, checkout);
  return checkout;
}

}  // namespace epwise::cli
