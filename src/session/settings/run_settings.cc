#include "session/settings/run_settings.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "base/os/files.h"
#include "lint/rule.h"
#include "session/settings/rules_source.h"

namespace epwise::session {

namespace {

using os::UsageError;

std::vector<std::string> checked_names(const std::vector<Setting>& settings,
                                       const lint::Knowledge& knowledge) {
  std::vector<std::string> names;
  for (const Setting& setting : settings) {
    lint::Selection one;
    one.select = {setting.value};
    if (std::ranges::none_of(knowledge.rules,
                             [&one](const lint::Rule& rule) { return one.takes(rule); })) {
      throw UsageError(fmt::format("{}: unknown rule `{}`{} (see `epwise rules list`)",
                                   setting.source,
                                   setting.value,
                                   nearest_rules(knowledge, setting.value)));
    }
    names.push_back(setting.value);
  }
  return names;
}

std::vector<RunSettings::Extension> joined_extensions(const RunSettings& stronger,
                                                      const RunSettings& weaker) {
  std::vector<RunSettings::Extension> extensions;
  std::ranges::copy_if(weaker.extensions,
                       std::back_inserter(extensions),
                       [&](const RunSettings::Extension& extension) {
                         return !extension.takes || stronger.select.empty();
                       });
  if (!extensions.empty()) {  // the weaker source must not bring back what the stronger one ignores
    for (const Setting& setting : stronger.ignore) {
      extensions.push_back({setting, false});
    }
  }
  extensions.insert(extensions.end(), stronger.extensions.begin(), stronger.extensions.end());
  return extensions;
}

}  // namespace

RunSettings joined(const RunSettings& stronger, const RunSettings& weaker) {
  RunSettings result = stronger;
  result.extensions = joined_extensions(stronger, weaker);
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
  for (const lint::Effect effect :
       {lint::Effect::hang, lint::Effect::wrong, lint::Effect::memory, lint::Effect::slow}) {
    if (settings.fail_on->value == lint::to_string(effect)) {
      threshold.effect = effect;
      return threshold;
    }
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
    throw UsageError(fmt::format(
        "{}: `{}` must be one of error, warning, note, never, hang, wrong, memory, slow",
        settings.fail_on->source,
        settings.fail_on->value));
  }
  return threshold;
}

lint::Selection selection_of(const RunSettings& settings, const lint::Knowledge& knowledge) {
  lint::Selection selection;
  selection.select = checked_names(settings.select, knowledge);
  selection.ignore = checked_names(settings.ignore, knowledge);
  for (const RunSettings::Extension& extension : settings.extensions) {
    selection.extensions.push_back(
        {checked_names({extension.rule}, knowledge).front(), extension.takes});
  }
  return selection;
}

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

lint::Severity Severities::of(const lint::Rule& rule, lint::Severity otherwise) const {
  for (const auto& [rules, severity] : entries_) {
    otherwise = rules.takes(rule) ? severity : otherwise;
  }
  return otherwise;
}

void Severities::apply(lint::Result& result) const {
  for (lint::Finding& finding : result.findings) {
    finding.severity = of(*finding.rule, finding.severity);
  }
}

}  // namespace epwise::session
