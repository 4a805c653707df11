#include "cli/settings/severities.h"

#include "cli/settings/run_settings.h"
#include "lint/rule.h"

namespace epwise::cli {

namespace {

lint::Severity severity_of(const std::string& level) {
  for (const lint::Severity severity : {lint::Severity::note, lint::Severity::warning}) {
    if (level == lint::to_string(severity)) {
      return severity;
    }
  }
  return lint::Severity::error;
}

}  // namespace

Severities::Severities(const std::vector<SeverityEntry>& entries,
                       const lint::Knowledge& knowledge) {
  for (const SeverityEntry& entry : entries) {
    RunSettings one;
    one.select = {entry.rule};
    entries_.emplace_back(selection_of(one, knowledge), severity_of(entry.level));
  }
}

void Severities::apply(lint::Result& result) const {
  for (lint::Finding& finding : result.findings) {
    for (const auto& [rules, severity] : entries_) {
      if (rules.takes(*finding.rule)) {
        finding.severity = severity;
      }
    }
  }
}

}  // namespace epwise::cli
