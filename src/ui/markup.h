#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace epwise::report {

/// Which quotes become entities, depending on the quotes around the attribute.
enum class Quotes : std::uint8_t { doubled, both };

/// `&`, `<`, `>` and quotes as entities of XML and HTML; all other bytes unchanged.
///   with_entities("a<\"b\"", Quotes::doubled) → "a&lt;&quot;b&quot;"
std::string with_entities(std::string_view text, Quotes quotes);

/// A text made safe for one cell of a Markdown table: bars are escaped, line feeds become spaces.
///   table_cell("a|b") → "a\\|b"
std::string table_cell(std::string_view text);

}  // namespace epwise::report
