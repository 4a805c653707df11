#pragma once

#include <string>
#include <string_view>

namespace epwise::shell {

/// Whether a text fits a pattern of `case` and `[[ == ]]`: `*`, `?` and `[a-z]`; a backslash before
/// a character takes it as it is. Linear in the text for each star.
bool fits(std::string_view pattern, std::string_view text);

/// The text without what a pattern takes from its begin (`#`, `##`) or end (`%`, `%%`).
std::string without(std::string_view text, std::string_view operation, std::string_view pattern);

/// A text in a form that a pattern takes literally.
std::string escaped(std::string_view text);

}  // namespace epwise::shell
