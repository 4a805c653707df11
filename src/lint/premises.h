#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/text/diagnostic.h"
#include "lint/facts/facts.h"
#include "lint/knowledge.h"

/// Decides which failures to report.
namespace epwise::lint {

/// The rule whose failure explains this one; null pointer if there is none.
const Rule* explanation(const Rule& rule,
                        const Knowledge& knowledge,
                        const std::set<const Rule*>& failed);

/// An undecided rule that is a premise of this one; null pointer if there is none.
const Rule* open_premise(const Rule& rule,
                         const Knowledge& knowledge,
                         const std::map<const Rule*, std::vector<std::string>>& open);

/// True if everything that the rule reports is from a file of overrides and may be set by the base
/// recipe, which is not available.
bool is_inherited(const Rule& rule, const facts::Facts& facts);

/// A reader's diagnostic about a text in place of a number that the rule reads, directly or through
/// derived values: the reason that the rule's expressions raise. Null pointer if there is none.
const text::Diagnostic* misread_number(const Rule& rule,
                                       const Knowledge& knowledge,
                                       const facts::Facts& facts);

}  // namespace epwise::lint
