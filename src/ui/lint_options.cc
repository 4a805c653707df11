#include "ui/lint_options.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/os/files.h"
#include "base/units/checked.h"
#include "session/settings/rules_source.h"
#include "ui/parallel.h"

namespace epwise::cli {

std::vector<Option> fix_options() {
  using enum Option::Arity;
  return {
      {.name = "--fix",
       .arity = one,
       .value = "TIER",
       .summary =
           "fix the recipes: neutral (default), performance, training; each change is verified",
       .variable = "EPWISE_FIX",
       .words = {"neutral", "performance", "training"},
       .completion = Completion::words,
       .implied = "neutral",
       .brief = true},
      {.name = "--diff",
       .summary = "print what --fix would change without writing; exit 1 if there are changes",
       .variable = "EPWISE_DIFF",
       .brief = true},
  };
}

std::vector<Option> input_options() {
  using enum Option::Arity;
  return {
      {.name = "--document",
       .arity = one,
       .value = "N|all|merge",
       .summary = "for a file with several recipes: the number of one, as FILE#N, all (default), "
                  "or merge for documents that make one",
       .variable = "EPWISE_DOCUMENT"},
      {.name = "--stdin-filename",
       .arity = one,
       .value = "PATH",
       .summary = "file name for standard input, used in messages and to find the configuration",
       .variable = "EPWISE_STDIN_FILENAME",
       .completion = Completion::files},
      {.name = "--list-files",
       .summary = "print the files that would be linted, and exit",
       .variable = "EPWISE_LIST_FILES"},
      {.name = "--jobs",
       .short_name = "-j",
       .arity = one,
       .value = "N",
       .summary = "number of threads; does not affect the output",
       .variable = "EPWISE_JOBS"},
      {.name = "--exit-zero",
       .summary = "exit 0 instead of 1; other exit codes are unaffected",
       .variable = "EPWISE_EXIT_ZERO"},
  };
}

int threads_of(const Arguments& arguments, std::size_t files) {
  const std::optional<Setting> jobs = arguments.one("--jobs");
  if (!jobs) {
    return default_threads(files);
  }
  constexpr int kMostThreads = 256;
  const auto threads = units::whole_number(jobs->value, 1, kMostThreads);
  if (!threads) {
    throw os::UsageError(fmt::format(
        "{} expects a number from 1 to {}, not `{}`", jobs->source, kMostThreads, jobs->value));
  }
  return *threads;
}

}  // namespace epwise::cli
