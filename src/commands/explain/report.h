#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advise/exploration.h"
#include "commands/explain/crash_log.h"
#include "commands/explain/suspects.h"
#include "commands/explain/troubles.h"
#include "commands/why/trace.h"
#include "ui/findings/lint_report.h"
#include "ui/findings/writer.h"
#include "ui/style.h"

namespace epwise::report {

/// One crash in a log and the rules that match it.
struct CrashCase {
  audit::Crash crash;
  std::vector<audit::Suspect> suspects;
  std::vector<std::string> advice;  // about its flags: the probable intention
  std::optional<audit::Recognised> trouble = {};
};

struct CrashReport {
  std::string log = {};               // its path
  std::vector<CrashCase> cases = {};  // the cause first, consequences last
  std::optional<audit::FirstFailure> first_failure = {};
  std::optional<LintedFile> recipe = {};  // linted on its target, if one was given
  /// By which comment or baseline the user has accepted findings that may be what a run died of.
  std::map<const lint::Rule*, std::string> accepted = {};
  /// For the first case, if it is a failure of a running job: the recipe's related values, and its
  /// rules.
  std::vector<why::Trace> settings = {};
  std::vector<const lint::Rule*> about = {};
  advise::Reliefs reliefs = {};  // if it ran out of memory and can be predicted
  /// What the first case shows and the recipe excludes; each completes "the log shows".
  std::vector<std::string> contradictions = {};

  /// What an error was compared with.
  struct LookedFor {
    int spoken = 0;                               // checks identified by their messages
    int placed = 0;                               // by their lines
    std::vector<std::string_view> troubles = {};  // by name
  };

  LookedFor looked_for = {};
};

/// All findings of `rule` in the recipe, the one of its standing first. A reader finds the same
/// mistake in several places, and one message of a log reports all of them: flags unknown to the
/// parser. Empty without a recipe, and if the rule is not violated.
std::vector<const lint::Finding*> located(const lint::Rule& rule, const CrashReport& report);

/// The cause with its suspects and the reasons and, with a recipe, the finding and its fixes; then
/// the other errors, shorter. What to report if nothing matches.
std::string crash_text(const CrashReport& report, const Style& style);

/// {"schema": "epwise.crash/1", "crashes": [{"exception", "message", "suspects": […]}]}
std::string crash_json(const CrashReport& report);

}  // namespace epwise::report
