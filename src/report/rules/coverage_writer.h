#pragma once

#include <optional>
#include <string>

#include "audit/coverage.h"
#include "report/lint/writer.h"
#include "report/style.h"

namespace epwise::report {

/// What `epwise rules coverage` counts.
struct CoverageReport {
  audit::Coverage rules;
  std::string path;  // of the recipe, when one was given
  std::optional<audit::Parameters> parameters;
};

/// -v names every row and rule that is only counted otherwise.
std::string coverage_text(const CoverageReport& report, const Style& style);

/// {"schema": "epwise.coverage/1", "catalogue": {…}, "rules": {…}, "recipe": {…}}
std::string coverage_json(const CoverageReport& report);

}  // namespace epwise::report
