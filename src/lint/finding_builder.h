#pragma once

#include <string>

#include "lint/finding.h"
#include "lint/knowledge.h"
#include "model/facts.h"
#include "text/diagnostic.h"

namespace epwise::lint {

/// The finding of a rule that fails on these facts, as they are now. `crash` says what upstream
/// raises when the check itself does not survive the values.
Finding build_finding(const Rule& rule,
                      const model::Facts& facts,
                      const Knowledge& knowledge,
                      const std::string& crash);

/// What a reader reported, as a finding of its built-in rule.
Finding build_finding(const Rule& rule,
                      const text::Diagnostic& diagnostic,
                      const model::Facts& facts);

}  // namespace epwise::lint
