#pragma once

#include <string>
#include <string_view>

namespace epwise::shell {

/// Whether a text matches a pattern of `case` and `[[ == ]]`: `*`, `?` and `[a-z]`; a backslash
/// quotes the next character. Linear in the text for each star.
bool fits(std::string_view pattern, std::string_view text);

/// The text without the part that matches a pattern at its beginning (`#`, `##`) or end (`%`,
/// `%%`).
std::string without(std::string_view text, std::string_view operation, std::string_view pattern);

/// The text with the longest part that a pattern matches replaced: the first (`/`), each (`//`), or
/// one at the beginning (`/#`) or end (`/%`). Cubic in the lengths.
std::string replaced(std::string_view text,
                     std::string_view operation,
                     std::string_view pattern,
                     std::string_view by);

/// A text escaped so that a pattern matches it literally.
std::string escaped(std::string_view text);

}  // namespace epwise::shell
