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

/// A message with its expressions in braces, as the rule file has it.
std::string message_template(const lint::Rule& rule, const lint::Knowledge& knowledge);

/// One line for a fix: "Spread the experts: model.expert_model_parallel_size: 8 (performance)".
std::string fix_line(const lint::RuleFix& fix, const lint::Knowledge& knowledge);

/// "NVIDIA-NeMo/Megatron-Bridge@067f987d src/…/comm_overlap.py:479", or the URL.
std::string reference_line(const lint::Reference& reference);

/// "fails", "passes", "undecided".
std::string_view to_string(lint::Example::Verdict verdict);

}  // namespace epwise::cli
