#pragma once

#include "lint/knowledge.h"
#include "lint/launch.h"
#include "model/facts.h"

namespace epwise::lint {

/// Lets the framework's launch rewrite the facts, so that they hold what would be executed; checks
/// are left out, except those that the readers have made. For who wants values and no findings:
///   model::Facts facts(recipe, vocabulary, target, knowledge.names, knowledge.derived);
///   lint::settle(facts, knowledge);
///   model::read_workload(facts);
Launch settle(model::Facts& facts, const Knowledge& knowledge);

}  // namespace epwise::lint
