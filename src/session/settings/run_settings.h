#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lint/engine.h"
#include "lint/knowledge.h"
#include "session/settings/configuration.h"
#include "session/settings/settings.h"

namespace epwise::session {

/// What makes a run fail.
struct Threshold {
  std::optional<lint::Severity> fail_on = lint::Severity::error;  // inclusive; nullopt: never
  std::optional<lint::Effect> effect;  // warnings of rules with this effect fail too
  bool strict = false;                 // undecided rules fail too

  bool operator==(const Threshold&) const = default;
};

/// Merges settings: the value of the stronger source, otherwise that of the weaker one. Extensions
/// are those of both, except that a stronger `select` replaces what the weaker source adds.
RunSettings joined(const RunSettings& stronger, const RunSettings& weaker);

/// Throws os::UsageError for a text that is neither a severity, `never` nor one of the effects
/// hang, wrong, memory and slow, which keep the default severity.
Threshold threshold_of(const RunSettings& settings);

/// Throws os::UsageError for a word that names no rule, with the nearest ones.
lint::Selection selection_of(const RunSettings& settings, const lint::Knowledge& knowledge);

/// The severities set by a configuration.
class Severities {
 public:
  Severities() = default;

  /// Throws os::UsageError for an entry that names no rule, with the nearest ones.
  Severities(const std::vector<SeverityEntry>& entries, const lint::Knowledge& knowledge);

  /// Findings of the matching rules get the severity of the entry; the last matching entry wins.
  /// The launch verdict is unchanged.
  void apply(lint::Result& result) const;

  /// The severity of a rule's findings: the last match, otherwise `otherwise`.
  lint::Severity of(const lint::Rule& rule, lint::Severity otherwise) const;

 private:
  std::vector<std::pair<lint::Selection, lint::Severity>> entries_;
};

}  // namespace epwise::session
