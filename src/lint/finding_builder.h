#pragma once

#include <string>

#include "base/text/diagnostic.h"
#include "lint/facts/facts.h"
#include "lint/finding.h"
#include "lint/knowledge.h"

namespace epwise::lint {

/// The finding of a rule that fails on the current facts. `crash` is what upstream raises if the
/// check itself fails on the values.
Finding build_finding(const Rule& rule,
                      const facts::Facts& facts,
                      const Knowledge& knowledge,
                      const std::string& crash);

/// A diagnostic of a reader, as a finding of its built-in rule.
Finding build_finding(const Rule& rule,
                      const text::Diagnostic& diagnostic,
                      const facts::Facts& facts);

}  // namespace epwise::lint
