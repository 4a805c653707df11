#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace epwise::recipe {

/// Splits a text at blanks as a POSIX shell does, quotes and backslashes taken off; nullopt when a
/// quote is not closed or a backslash stands last.
///   shell_words("a 'b c' d\\ e") → {"a", "b c", "d e"}
std::optional<std::vector<std::string>> shell_words(std::string_view text);

}  // namespace epwise::recipe
