#pragma once

#include <vector>

#include "lint/finding.h"
#include "lint/knowledge.h"
#include "lint/rule.h"
#include "model/facts.h"
#include "text/diagnostic.h"

namespace epwise::lint {

/// Repairs of words that are nearly legal: for each field that the rule blames and whose text, or
/// an entry of whose list, is a misspelt one of the words that the framework or the rule knows.
///   recompute_granularity: selektive → "Correct the spelling", selective
/// Of an error they are neutral, because nothing ran with the wrong word; of anything else they
/// change as much as the rule's own fixes.
std::vector<Fix> respellings(const Rule& rule,
                             const model::Facts& facts,
                             const Knowledge& knowledge);

/// Repairs of what a reader reports about a scalar: a text that was meant as a number or a switch,
/// a number or switch that was meant as a text, a word that is no choice of its flag. Empty where
/// what was meant can't be told.
///   lr: 1e-4 → 0.0001, sequence_parallel: "true" → true
std::vector<Fix> respellings(const text::Diagnostic& diagnostic, const model::Facts& facts);

/// Whether a fix puts a misspelt name or word right and does nothing else: what the user meant.
bool is_spelling(const Finding& finding, const Fix& fix);

}  // namespace epwise::lint
