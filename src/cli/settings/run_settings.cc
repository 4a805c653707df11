#include "cli/settings/run_settings.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "cli/settings/rules_source.h"
#include "world/files.h"

namespace epwise::cli {

namespace {

using world::UsageError;

std::vector<std::string> checked_names(const std::vector<Setting>& settings,
                                       const lint::Knowledge& knowledge) {
  std::vector<std::string> names;
  for (const Setting& setting : settings) {
    lint::Selection one;
    one.select = {setting.value};
    if (std::ranges::none_of(knowledge.rules,
                             [&one](const lint::Rule& rule) { return one.takes(rule); })) {
      throw UsageError(fmt::format("{}: no rule `{}`{} (`epwise rules list` names them)",
                                   setting.source,
                                   setting.value,
                                   nearest_rules(knowledge, setting.value)));
    }
    names.push_back(setting.value);
  }
  return names;
}

}  // namespace

RunSettings joined(const RunSettings& stronger, const RunSettings& weaker) {
  RunSettings result = stronger;
  if (result.select.empty()) {
    result.select = weaker.select;
  }
  if (result.ignore.empty()) {
    result.ignore = weaker.ignore;
  }
  result.fail_on = result.fail_on ? result.fail_on : weaker.fail_on;
  result.strict = result.strict ? result.strict : weaker.strict;
  result.rules = result.rules ? result.rules : weaker.rules;
  return result;
}

Threshold threshold_of(const RunSettings& settings) {
  Threshold threshold;
  threshold.strict = settings.strict && settings.strict->value == "true";
  if (!settings.fail_on) {
    return threshold;
  }
  threshold.fail_on = std::nullopt;
  for (const lint::Severity severity :
       {lint::Severity::note, lint::Severity::warning, lint::Severity::error}) {
    if (settings.fail_on->value == lint::to_string(severity)) {
      threshold.fail_on = severity;
      return threshold;
    }
  }
  if (settings.fail_on->value != "never") {
    throw UsageError(fmt::format("{}: `{}` is none of error, warning, note, never",
                                 settings.fail_on->source,
                                 settings.fail_on->value));
  }
  return threshold;
}

lint::Selection selection_of(const RunSettings& settings, const lint::Knowledge& knowledge) {
  lint::Selection selection;
  selection.select = checked_names(settings.select, knowledge);
  selection.ignore = checked_names(settings.ignore, knowledge);
  return selection;
}

ExitCode exit_code_of(const report::LintedFile& file, const Threshold& threshold) {
  if (!file.result.crashed_rules.empty()) {
    return ExitCode::internal;
  }
  const bool failed =
      std::ranges::any_of(file.result.findings, [&threshold](const lint::Finding& finding) {
        return threshold.fail_on && finding.severity >= *threshold.fail_on &&
               !finding.rule->preview && !finding.consequence;
      });
  const bool undecided =
      threshold.strict && std::ranges::any_of(file.result.open, [](const lint::Open& open) {
        return !open.rule->preview;
      });
  return failed || undecided ? ExitCode::findings : ExitCode::clean;
}

bool was_checked(const report::LintedFile& file, bool selects_any) {
  const bool ran = file.recipe->readable && selects_any;
  return ran || std::ranges::any_of(file.result.findings, [](const lint::Finding& finding) {
           return finding.severity == lint::Severity::error;
         });
}

}  // namespace epwise::cli
