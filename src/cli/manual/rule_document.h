#pragma once

#include <string>

#include "cli/manual/document.h"
#include "lint/knowledge.h"

namespace epwise::cli {

/// Everything a rule says about itself, in chapters: what, why, condition, versions, examples,
/// fixes, references.
Document document_of(const lint::Rule& rule, const lint::Knowledge& knowledge);

/// "Megatron-Bridge from 0.5.0 to 0.6.2", one line a framework that the rule holds for.
std::vector<std::string> version_lines(const lint::Rule& rule);

/// One line for a fix: "Spread the experts: model.expert_model_parallel_size: 8 (performance)".
std::string fix_line(const lint::RuleFix& fix, const lint::Knowledge& knowledge);

}  // namespace epwise::cli
