#pragma once

#include <string>
#include <string_view>

#include "base/os/files.h"

namespace epwise::session {

/// The git checkout of the files, for formats with paths relative to its root.
struct Checkout {
  /// Absolute: the checkout's own or, outside of one, the working directory. Shown only in the URI
  /// of a file elsewhere.
  std::string root;
  std::string prefix;    // working directory relative to the root: "" or "recipes/gb200/"
  std::string uri;       // of the origin, may be empty
  std::string revision;  // full commit id, may be empty
  std::string branch;    // may be empty
  /// Absolute: the working directory, if it may lie outside of the root; empty: it lies at `prefix`.
  std::string here = {};
};

/// The git checkout around the working directory, read from its files without running git. Outside
/// a checkout only the root exists. A user name or token in the URL of the origin is omitted.
Checkout find_checkout(const os::Files& files);

/// The repository around a file, or outside of one the file's folder, for names that do not depend on
/// the working directory: only `root` and `here`.
Checkout checkout_around(const os::Files& files, std::string_view path);

/// A path relative to the root of the repository, or to the working directory outside one: resolves
/// "../", and makes an absolute path below the root relative. Any other absolute path is unchanged.
///   repository_path({"/repo", "recipes/"}, "../a b.yaml") → "a b.yaml"
std::string repository_path(const Checkout& checkout, std::string_view path);

/// "a/./b/../c" → "a/c"; leading ".." stay, a leading "/" goes.
std::string folded(std::string_view path);

}  // namespace epwise::session
