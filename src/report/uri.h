#pragma once

#include <string>
#include <string_view>

namespace epwise::report {

/// A path seen from the root of the repository: `prefix` ("recipes/", may be empty) and "../" in
/// the path are folded. An absolute path stands outside the repository and stays absolute.
///   repository_path("recipes/", "../a b.yaml") → "a b.yaml"
std::string repository_path(std::string_view prefix, std::string_view path);

/// The same as a relative URI reference, with bytes that an URI can't hold percent-encoded.
///   repository_uri("recipes/", "../a b.yaml") → "a%20b.yaml"
/// An absolute path gives "file:///…".
std::string repository_uri(std::string_view prefix, std::string_view path);

}  // namespace epwise::report
