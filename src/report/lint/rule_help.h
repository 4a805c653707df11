#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lint/rule.h"

namespace epwise::report {

/// What a rule is about, for formats that carry documentation.
std::string help_text(const lint::Rule& rule);
std::string help_markdown(const lint::Rule& rule);

/// At most ten words to filter by: topic, frameworks, "launch" for checks at start-up, …
std::vector<std::string> tags_of(const lint::Rule& rule);

/// "very-high", "high" or "medium", as code scanning names them.
std::string_view precision_of(const lint::Rule& rule);

/// Markdown in which nothing of `text` is markup, on one line, safe in a table cell.
std::string markdown(std::string_view text);

}  // namespace epwise::report
