#pragma once

#include <optional>
#include <string>

#include "cli/exit_code.h"
#include "cli/settings/settings.h"
#include "lint/engine.h"
#include "lint/knowledge.h"
#include "report/lint/lint_report.h"

namespace epwise::cli {

/// What counts as failed.
struct Threshold {
  std::optional<lint::Severity> fail_on = lint::Severity::error;  // inclusive; nullopt: never
  bool strict = false;                                            // open rules fail too

  bool operator==(const Threshold&) const = default;
};

/// The stronger source's word for each setting, the weaker one's where it says nothing.
RunSettings joined(const RunSettings& stronger, const RunSettings& weaker);

/// Throws world::UsageError for a text that is no severity.
Threshold threshold_of(const RunSettings& settings);

/// Throws world::UsageError for a word that names no rule, with the nearest ones.
lint::Selection selection_of(const RunSettings& settings, const lint::Knowledge& knowledge);

/// What one linted document does to the exit code: clean or findings, or internal when a rule
/// crashed. Rules in preview never count.
ExitCode exit_code_of(const report::LintedFile& file, const Threshold& threshold);

/// Whether anything was checked in it: there were rules to run on what could be read, or it is so
/// broken that this is the finding.
bool was_checked(const report::LintedFile& file, bool selects_any);

}  // namespace epwise::cli
