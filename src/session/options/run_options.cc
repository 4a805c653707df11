#include "session/options/run_options.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/os/files.h"

namespace epwise::session {

Option rules_option() {
  return {.name = "--rules",
          .arity = Option::Arity::one,
          .value = "DIR",
          .summary = "additional rules; a rule with an existing id overrides it",
          .variable = "EPWISE_RULES",
          .completion = Completion::directories};
}

std::vector<Option> selection_options() {
  using enum Option::Arity;
  return {
      {.name = "--select",
       .arity = many,
       .value = "RULE",
       .summary = "only these rules: an id, a code, a prefix of either (overlap/, EPO), or a "
                  "confidence: proven (an upstream check or a run), likely, heuristic",
       .variable = "EPWISE_SELECT",
       .completion = Completion::rules},
      {.name = "--ignore",
       .arity = many,
       .value = "RULE",
       .summary = "skip these rules",
       .variable = "EPWISE_IGNORE",
       .completion = Completion::rules},
      {.name = "--extend-select",
       .arity = many,
       .value = "RULE",
       .summary = "add these rules to the selected ones, also if the configuration ignores them",
       .variable = "EPWISE_EXTEND_SELECT",
       .completion = Completion::rules},
      {.name = "--extend-ignore",
       .arity = many,
       .value = "RULE",
       .summary = "skip these rules too, in addition to those that the configuration ignores",
       .variable = "EPWISE_EXTEND_IGNORE",
       .completion = Completion::rules},
      rules_option(),
      {.name = "--fail-on",
       .arity = one,
       .value = "LEVEL",
       .summary =
           "exit 1 at this severity or above: error (default), warning, note, never; or at errors "
           "and at warnings about runs that hang, train something wrong, waste memory or are slow: "
           "hang, wrong, memory, slow",
       .variable = "EPWISE_FAIL_ON",
       .words = {"error", "warning", "note", "never", "hang", "wrong", "memory", "slow"},
       .completion = Completion::words,
       .brief = true},
      {.name = "--strict",
       .summary = "also exit 1 if a rule is undecided, or the release has no tables of its own",
       .variable = "EPWISE_STRICT",
       .brief = true},
  };
}

namespace {

/// Throws UsageError for an empty list: an unset shell variable must not select every rule.
std::vector<Setting> rules_in(const Setting& list) {
  std::vector<Setting> rules = split_list(list);
  if (rules.empty()) {
    throw os::UsageError(fmt::format("{}: expected a rule, not an empty text", list.source));
  }
  return rules;
}

}  // namespace

RunSettings run_settings(const Arguments& arguments) {
  RunSettings settings;
  for (const Setting& list : arguments.all("--select")) {
    std::ranges::move(rules_in(list), std::back_inserter(settings.select));
  }
  for (const Setting& list : arguments.all("--ignore")) {
    std::ranges::move(rules_in(list), std::back_inserter(settings.ignore));
  }
  for (const bool takes : {true, false}) {
    for (const Setting& list : arguments.all(takes ? "--extend-select" : "--extend-ignore")) {
      for (Setting& rule : rules_in(list)) {
        settings.extensions.push_back({std::move(rule), takes});
      }
    }
  }
  settings.fail_on = arguments.one("--fail-on");
  settings.rules = arguments.one("--rules");
  if (const auto strict = arguments.one("--strict")) {
    settings.strict = Setting{"true", strict->source};
  }
  return settings;
}

std::vector<Option> configuration_options() {
  using enum Option::Arity;
  return {
      {.name = "--config",
       .arity = one,
       .value = "FILE|none",
       .summary = "use this configuration instead of the nearest .epwise.yaml",
       .variable = "EPWISE_CONFIG",
       .completion = Completion::files},
      {.name = "--target",
       .arity = one,
       .value = "NAME",
       .summary = "use this entry of `targets` instead of the one whose paths match",
       .variable = "EPWISE_TARGET"},
  };
}

std::vector<Option> acceptance_options() {
  using enum Option::Arity;
  return {
      {.name = "--baseline",
       .arity = one,
       .value = "FILE|none",
       .summary = "ignore findings recorded in this file (epwise baseline write)",
       .variable = "EPWISE_BASELINE",
       .completion = Completion::files},
      {.name = "--no-ignores",
       .summary = "disregard comments such as `# epwise: ignore[...]`",
       .variable = "EPWISE_NO_IGNORES"},
  };
}

}  // namespace epwise::session
