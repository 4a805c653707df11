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

/// A text as code of Markdown, on one line and safe in a cell of a table: control characters become
/// visible, bars are escaped, and the fence is longer than any run of backticks in the text.
///   code_span("a`b|c") → "``a`b\\|c``"
std::string code_span(std::string_view text);

/// Lines as a block of code of Markdown; `language` may be empty.
///   code_block("+a\n", "diff") → "```diff\n+a\n```\n"
std::string code_block(std::string_view text, std::string_view language);

/// A text made safe for one cell of a Markdown table: bars are escaped, line feeds become spaces.
///   table_cell("a|b") → "a\\|b"
std::string table_cell(std::string_view text);

}  // namespace epwise::report
