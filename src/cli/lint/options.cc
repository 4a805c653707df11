#include "cli/lint/options.h"

#include <algorithm>
#include <charconv>

#include <fmt/core.h>

#include "cli/parallel.h"
#include "cli/settings/rules_source.h"
#include "world/files.h"

namespace epwise::cli {

std::vector<Option> selection_options() {
  using enum Option::Arity;
  return {
      {.name = "--select",
       .arity = many,
       .value = "RULE",
       .summary = "only these rules: an id, a code, or how either begins (overlap/, EPO)",
       .variable = "EPWISE_SELECT",
       .completion = Completion::rules},
      {.name = "--ignore",
       .arity = many,
       .value = "RULE",
       .summary = "not these rules",
       .variable = "EPWISE_IGNORE",
       .completion = Completion::rules},
      rules_option(),
      {.name = "--fail-on",
       .arity = one,
       .value = "LEVEL",
       .summary = "exit 1 from this severity on: error (default), warning, note, never",
       .variable = "EPWISE_FAIL_ON",
       .words = {"error", "warning", "note", "never"},
       .completion = Completion::words,
       .brief = true},
      {.name = "--strict",
       .summary = "exit 1 when a rule could not be decided too",
       .variable = "EPWISE_STRICT",
       .brief = true},
  };
}

RunSettings run_settings(const Arguments& arguments) {
  RunSettings settings;
  for (const Setting& list : arguments.all("--select")) {
    std::ranges::move(split_list(list), std::back_inserter(settings.select));
  }
  for (const Setting& list : arguments.all("--ignore")) {
    std::ranges::move(split_list(list), std::back_inserter(settings.ignore));
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
       .summary = "this configuration instead of the nearest .epwise.yaml",
       .variable = "EPWISE_CONFIG",
       .completion = Completion::files},
      {.name = "--target",
       .arity = one,
       .value = "NAME",
       .summary = "this entry of `targets` instead of the one whose paths fit",
       .variable = "EPWISE_TARGET"},
  };
}

std::vector<Option> fix_options() {
  using enum Option::Arity;
  return {
      {.name = "--fix",
       .arity = one,
       .value = "TIER",
       .summary = "change the recipes: neutral (default), performance, training; each change is "
                  "tried first",
       .variable = "EPWISE_FIX",
       .words = {"neutral", "performance", "training"},
       .completion = Completion::words,
       .implied = "neutral",
       .brief = true},
      {.name = "--diff",
       .summary = "print what --fix would change, change nothing, and exit 1 if it is something",
       .variable = "EPWISE_DIFF",
       .brief = true},
  };
}

std::vector<Option> acceptance_options() {
  using enum Option::Arity;
  return {
      {.name = "--baseline",
       .arity = one,
       .value = "FILE|none",
       .summary = "findings that this file knows don't count (epwise baseline write)",
       .variable = "EPWISE_BASELINE",
       .completion = Completion::files},
      {.name = "--no-ignores",
       .summary = "comments such as `# epwise: ignore[...]` don't count",
       .variable = "EPWISE_NO_IGNORES"},
  };
}

std::vector<Option> input_options() {
  using enum Option::Arity;
  return {
      {.name = "--document",
       .arity = one,
       .value = "N|all|merge",
       .summary = "of a file with several documents: one of them, each (default), or all as one",
       .variable = "EPWISE_DOCUMENT"},
      {.name = "--stdin-filename",
       .arity = one,
       .value = "PATH",
       .summary = "name of what comes on standard input, for messages and configuration",
       .variable = "EPWISE_STDIN_FILENAME",
       .completion = Completion::files},
      {.name = "--list-files",
       .summary = "print the files that would be linted, and stop",
       .variable = "EPWISE_LIST_FILES"},
      {.name = "--jobs",
       .short_name = "-j",
       .arity = one,
       .value = "N",
       .summary = "threads; the output does not depend on it",
       .variable = "EPWISE_JOBS"},
      {.name = "--exit-zero",
       .summary = "exit 0 instead of 1; no other code changes",
       .variable = "EPWISE_EXIT_ZERO"},
  };
}

int threads_of(const Arguments& arguments, std::size_t files) {
  const std::optional<Setting> jobs = arguments.one("--jobs");
  if (!jobs) {
    return default_threads(files);
  }
  int threads = 0;
  const char* end = jobs->value.data() + jobs->value.size();
  const auto result = std::from_chars(jobs->value.data(), end, threads);
  constexpr int kMostThreads = 256;
  if (result.ec != std::errc() || result.ptr != end || threads < 1 || threads > kMostThreads) {
    throw world::UsageError(fmt::format(
        "{} takes a number from 1 to {}, not `{}`", jobs->source, kMostThreads, jobs->value));
  }
  return threads;
}

}  // namespace epwise::cli
