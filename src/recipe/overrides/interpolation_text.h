#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace epwise::recipe {

/// Offset of the brace that closes the interpolation whose content starts at `begin` ("${a.${b}}":
/// 2 → 8); npos when none does.
std::size_t closing_brace(std::string_view text, std::size_t begin);

/// A text without blanks around it, and without quotes around it.
std::string_view strip_blanks(std::string_view text);
std::string_view strip_quotes(std::string_view text);

/// "a.b[c].0" → a, b, c, 0
std::vector<std::string> path_parts(std::string_view path);

}  // namespace epwise::recipe
