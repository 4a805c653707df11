#pragma once

#include <utility>
#include <vector>

#include "cli/settings/configuration.h"
#include "lint/engine.h"
#include "lint/knowledge.h"

namespace epwise::cli {

/// What a configuration says about how serious findings are.
class Severities {
 public:
  Severities() = default;

  /// Throws world::UsageError for an entry that names no rule, with the nearest ones.
  Severities(const std::vector<SeverityEntry>& entries, const lint::Knowledge& knowledge);

  /// Findings of the rules that an entry names get its severity; the last that fits counts. The
  /// verdict about the launch stays what it is.
  void apply(lint::Result& result) const;

 private:
  std::vector<std::pair<lint::Selection, lint::Severity>> entries_;
};

}  // namespace epwise::cli
