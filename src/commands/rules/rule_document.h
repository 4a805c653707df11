#pragma once

#include <string>

#include "lint/knowledge.h"
#include "ui/document.h"

namespace epwise::cli {

/// All information about a rule, in sections: what, why, condition, versions, examples, fixes,
/// references.
Page document_of(const lint::Rule& rule, const lint::Knowledge& knowledge);

/// "Megatron-Bridge from 0.5.0 to 0.6.2", one line per framework to which the rule applies.
std::vector<std::string> version_lines(const lint::Rule& rule);

/// One line for a fix: "Spread the experts: model.expert_model_parallel_size: 8 (performance)".
std::string fix_line(const lint::RuleFix& fix, const lint::Knowledge& knowledge);

/// Every rule in one line, by topic, and the rows that are not rules with their reasons, as
/// Markdown: the text of rules/REFERENCE.md.
std::string reference_page(const lint::Knowledge& knowledge);

}  // namespace epwise::cli
