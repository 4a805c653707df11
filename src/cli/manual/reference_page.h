#pragma once

#include <string>

#include "lint/knowledge.h"

namespace epwise::cli {

/// Every rule in one line, by topic, and what is no rule with its reason, as Markdown: the text of
/// rules/REFERENCE.md.
std::string reference_page(const lint::Knowledge& knowledge);

}  // namespace epwise::cli
