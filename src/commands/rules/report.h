#pragma once

#include <optional>
#include <string>

#include "commands/rules/coverage.h"
#include "commands/rules/drift.h"
#include "ui/findings/writer.h"
#include "ui/style.h"

namespace epwise::report {

/// The counts of `epwise rules coverage`.
struct CoverageReport {
  audit::Coverage rules;
  std::string path;  // of the recipe, if one was given
  std::optional<audit::Parameters> parameters;
};

/// -v lists every row and rule that is otherwise only counted.
std::string coverage_text(const CoverageReport& report, const Style& style);

/// {"schema": "epwise.coverage/1", "catalogue": {…}, "rules": {…}, "recipe": {…}}
std::string coverage_json(const CoverageReport& report);

/// Rules whose upstream lines changed, disappeared or moved, and the number of unchanged ones. -v
/// also lists those that moved.
std::string drift_text(const audit::DriftReport& report, const Style& style);

/// {"schema": "epwise.drift/1", "repository", "references": [{"rule", "ground", …}]}
std::string drift_json(const audit::DriftReport& report);

}  // namespace epwise::report
