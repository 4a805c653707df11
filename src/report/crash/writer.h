#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/crash_log.h"
#include "audit/suspects.h"
#include "audit/troubles.h"
#include "report/lint/lint_report.h"
#include "report/lint/writer.h"
#include "report/style.h"
#include "why/trace.h"

namespace epwise::report {

/// One crash of a log and the rules that fit it.
struct CrashCase {
  audit::Crash crash;
  std::vector<audit::Suspect> suspects;
  std::vector<std::string> advice;  // about its flags: what was meant
  std::optional<audit::Recognised> trouble = {};
};

struct CrashReport {
  std::string log = {};               // its path
  std::vector<CrashCase> cases = {};  // the cause first, what follows from it last
  std::optional<audit::FirstFailure> first_failure = {};
  std::optional<LintedFile> recipe = {};  // linted on its target, when one was given
  /// Of the first case, when it is a trouble: the recipe's values that bear on it, and its rules.
  std::vector<why::Trace> settings = {};
  std::vector<const lint::Rule*> about = {};

  /// What an error was compared with.
  struct LookedFor {
    int spoken = 0;                               // checks that are known by words
    int placed = 0;                               // by their lines
    std::vector<std::string_view> troubles = {};  // by name
  };

  LookedFor looked_for = {};
};

/// What of the recipe `rule` found, the finding of its standing first. A reader of ours finds the
/// same mistake in several places, and one message of a log tells of all of them: flags that the
/// parser does not know. Empty without a recipe, and where the rule is not broken.
std::vector<const lint::Finding*> located(const lint::Rule& rule, const CrashReport& report);

/// The cause with its suspects, why they are, and with a recipe the finding and its fixes; then the
/// other errors, shorter. What to send where nothing fits.
std::string crash_text(const CrashReport& report, const Style& style);

/// {"schema": "epwise.crash/1", "crashes": [{"exception", "message", "suspects": […]}]}
std::string crash_json(const CrashReport& report);

}  // namespace epwise::report
