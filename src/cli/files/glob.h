#pragma once

#include <string_view>

namespace epwise::cli {

/// Whether a shell-like pattern covers a whole path. `*` and `?` stay inside one name, `[a-z]` and
/// `[!a-z]` are one letter, a name `**` stands for any number of folders (at the end: at least one
/// name), `\` takes the next letter as it is. Time grows with the product of both lengths at most.
///   glob_matches("recipes/**/*.yaml", "recipes/a/b/c.yaml") → true
bool glob_matches(std::string_view pattern, std::string_view path);

/// Whether a word means a set of files: it holds `*`, `?` or `[`.
bool is_glob(std::string_view word);

}  // namespace epwise::cli
