#pragma once

#include <optional>
#include <string>
#include <vector>

#include "audit/suspects.h"
#include "report/lint_report.h"
#include "report/style.h"
#include "report/writer.h"

namespace epwise::report {

/// One crash of a log and the rules that fit it.
struct CrashCase {
  audit::Crash crash;
  std::vector<audit::Suspect> suspects;
};

struct CrashReport {
  std::string log;  // its path
  std::vector<CrashCase> cases;
  std::optional<LintedFile> recipe;  // linted on its target, when one was given
};

/// Each crash with its suspects, why they are, and with a recipe the finding and its fixes; what to
/// send where nothing fits.
std::string crash_text(const CrashReport& report, const Style& style);

/// {"schema": "epwise.crash/1", "crashes": [{"exception", "message", "suspects": […]}]}
std::string crash_json(const CrashReport& report);

}  // namespace epwise::report
