#pragma once

#include <string>
#include <string_view>

namespace epwise::report {

/// A text that stays one cell of a Markdown table: bars escaped, line feeds blanks.
///   table_cell("a|b") → "a\\|b"
std::string table_cell(std::string_view text);

}  // namespace epwise::report
