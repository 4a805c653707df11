#pragma once

#include <optional>
#include <string>
#include <vector>

#include "audit/crash_log.h"
#include "audit/suspects.h"
#include "report/lint_report.h"
#include "report/style.h"
#include "report/writer.h"

namespace epwise::report {

/// One crash of a log and the rules that fit it.
struct CrashCase {
  audit::Crash crash;
  std::vector<audit::Suspect> suspects;
  std::vector<std::string> advice;  // about its flags: what was meant
};

struct CrashReport {
  std::string log = {};               // its path
  std::vector<CrashCase> cases = {};  // the cause first, what follows from it last
  std::optional<audit::FirstFailure> first_failure = {};
  std::optional<LintedFile> recipe = {};  // linted on its target, when one was given
};

/// The cause with its suspects, why they are, and with a recipe the finding and its fixes; then the
/// other errors, shorter. What to send where nothing fits.
std::string crash_text(const CrashReport& report, const Style& style);

/// {"schema": "epwise.crash/1", "crashes": [{"exception", "message", "suspects": […]}]}
std::string crash_json(const CrashReport& report);

}  // namespace epwise::report
