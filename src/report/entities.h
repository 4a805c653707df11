#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace epwise::report {

/// Quotes that become entities, by what the attributes around the text are quoted with.
enum class Quotes : std::uint8_t { doubled, both };

/// `&`, `<`, `>` and quotes as entities of XML and HTML; every other byte as it is.
///   with_entities("a<\"b\"", Quotes::doubled) → "a&lt;&quot;b&quot;"
std::string with_entities(std::string_view text, Quotes quotes);

}  // namespace epwise::report
