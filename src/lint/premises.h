#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "lint/knowledge.h"
#include "model/facts.h"
#include "text/diagnostic.h"

/// Which failures are worth showing.
namespace epwise::lint {

/// The rule whose failure explains this one; null pointer when there is none.
const Rule* explanation(const Rule& rule,
                        const Knowledge& knowledge,
                        const std::set<const Rule*>& failed);

/// A rule that this one rests on and that is open; null pointer when there is none.
const Rule* open_premise(const Rule& rule,
                         const Knowledge& knowledge,
                         const std::map<const Rule*, std::vector<std::string>>& open);

/// True when nothing that the rule blames stands in a file of overrides: the base recipe, which we
/// do not see, may set it.
bool is_inherited(const Rule& rule, const model::Facts& facts);

/// What a reader reported about a text that stands where a number belongs, when the rule reads it,
/// directly or through derived values: why the rule's expressions raise. Null pointer when there is
/// none.
const text::Diagnostic* misread_number(const Rule& rule,
                                       const Knowledge& knowledge,
                                       const model::Facts& facts);

}  // namespace epwise::lint
