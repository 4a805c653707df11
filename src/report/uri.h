#pragma once

#include <string>
#include <string_view>

#include "report/lint/lint_report.h"

namespace epwise::report {

/// A path seen from the root of the repository, or of the working directory outside of one: "../"
/// in it is folded, and an absolute path below the root becomes relative. Any other absolute path
/// stays.
///   repository_path({"/repo", "recipes/"}, "../a b.yaml") → "a b.yaml"
std::string repository_path(const Checkout& checkout, std::string_view path);

/// The same as a relative URI reference, with bytes that an URI can't hold percent-encoded.
///   repository_uri({"/repo", "recipes/"}, "../a b.yaml") → "a%20b.yaml"
/// What stands outside of the root gives "file:///…".
std::string repository_uri(const Checkout& checkout, std::string_view path);

}  // namespace epwise::report
