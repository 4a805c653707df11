#pragma once

#include <cstddef>
#include <string_view>

/// Re-reading of raw text from a place that the tokeniser named: it says where things start, never
/// where they end. All functions take and return byte offsets, accept any offset and stop at the
/// end of the text; each reads what it passes over once.
namespace epwise::yaml::raw {

bool is_space(char c);  // blank, tab, CR, LF

bool is_break(char c);  // CR, LF

/// Whether a `---` that starts a document stands at `place`.
bool is_document_start(std::string_view text, std::size_t place);

/// Behind white space, line ends and comments.
std::size_t skip_layout(std::string_view text, std::size_t from);

/// Behind the `&name`, `*name` or `!tag` that starts at `from`.
std::size_t property_end(std::string_view text, std::size_t from);

/// Behind the scalar that starts at `begin` and whose value was read as `value`: quotes are
/// followed to the closing one; for plain and block scalars the printed characters of the value are
/// found again, since folding changes nothing but white space.
std::size_t scalar_end(std::string_view text, std::size_t begin, std::string_view value);

/// The first place that PyYAML refuses in the quoted or block scalar [begin, end): `begin` when the
/// quote is not closed, an escape, a character behind `|` or `>`; `npos` when all is well.
std::size_t wrong_in_quoted(std::string_view text, std::size_t begin, std::size_t end);

/// Behind the lines from `from` on that hold nothing but white space.
std::size_t blank_lines_end(std::string_view text, std::size_t from);

/// "~", "null", "Null" or "NULL" when it stands at `from` as a whole word, else empty.
std::string_view null_word(std::string_view text, std::size_t from);

}  // namespace epwise::yaml::raw
