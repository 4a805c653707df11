#include "session/baseline.h"

#include <algorithm>
#include <iterator>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "commands/all.h"
#include "commands/lint/run.h"
#include "session/files/places.h"
#include "session/options/run_options.h"
#include "session/options/target_options.h"
#include "ui/findings/lint_report.h"
#include "ui/lint_options.h"

namespace epwise::cli {

namespace {

using os::UsageError;

constexpr std::string_view kAboutBaseline = R"(PURPOSE
  A baseline lets a repository that has findings today gate only new ones: record the findings once,
  then lint with --baseline FILE. A finding is identified by its rule, file, location in the
  document and the values that the rule read; if a value changes, it counts as new. The file only
  shrinks: `prune` removes findings that no longer occur, and nothing adds any. A file that cannot
  be read as a recipe has no baseline findings: it fails as it would without a baseline.

  Findings depend on the target and on the selected rules: pass the same options to both commands,
  or keep them in .epwise.yaml. An entry names the GPU and the number of GPUs on which it was seen:
  `prune` removes it only after a run on that target.
)";

std::string quantity(std::size_t count) {
  return report::counted(static_cast<int>(count), "finding");
}

/// The paths after the baseline's name; the working directory if there are none.
Arguments linted(const Arguments& arguments) {
  Arguments result = arguments;
  result.operands.erase(result.operands.begin(), result.operands.begin() + 2);
  if (result.operands.empty()) {
    result.operands.emplace_back(".");
  }
  return result;
}

bool is_sound(const report::LintReport& report) {
  return report.unreadable.empty() && report.exit_code <= to_int(ExitCode::findings);
}

ExitCode write(Console& console, const Arguments& arguments, const std::string& path) {
  const auto reason = arguments.one("--reason");
  if (!reason || reason->value.empty()) {
    throw UsageError("a baseline needs a reason: --reason \"before the gate was enabled\"");
  }
  const std::string exists =
      fmt::format("{} exists, and a baseline only shrinks: `epwise baseline prune {}`", path, path);
  if (console.files.is_file(path)) {
    throw UsageError(exists);
  }
  LintHooks hooks;
  hooks.writes = false;
  std::vector<Baseline::Entry> entries;
  std::ptrdiff_t errors = 0;
  hooks.reads_baselines = false;
  const Checkout home = session::checkout_around(console.files, path);
  hooks.each = [&](report::LintedFile& file,
                   const Checkout& /*checkout*/,
                   const session::InputSettings& /*settings*/) {
    const std::vector<Baseline::Entry> found =
        Baseline::entries_of(home, *file.recipe, file.machine, file.result);
    if (!found.empty()) {
      errors +=
          std::ranges::count(report::shown(file), lint::Severity::error, &lint::Finding::severity);
    }
    std::ranges::copy(found, std::back_inserter(entries));
  };
  hooks.judge = [&](report::LintReport& report) {
    if (!is_sound(report)) {
      console.err << fmt::format("epwise: {} not written: not everything was checked\n", path);
      return ExitCode::clean;  // the run's own exit code gives the reason
    }
    const std::size_t count = entries.size();
    if (!console.files.create_atomically(path,
                                         Baseline::to_text(reason->value, std::move(entries)))) {
      throw UsageError(exists);  // another process was faster
    }
    console.err << fmt::format(
        "epwise: {} written with {}{}\n",
        path,
        quantity(count),
        errors == 0 ? ""
                    : fmt::format(" ({})", report::counted(static_cast<int>(errors), "error")));
    return ExitCode::clean;
  };
  const ExitCode code = run_lint_with(console, linted(arguments), hooks);
  return code == ExitCode::findings ? ExitCode::clean : code;
}

ExitCode prune(Console& console, const Arguments& arguments, const std::string& path) {
  const Arguments lint = linted(arguments);
  const Baseline known = Baseline::read(console.files, path);
  session::BaselineUse use(known);
  LintHooks hooks;
  hooks.writes = false;
  hooks.reads_baselines = false;
  hooks.each = [&](report::LintedFile& file,
                   const Checkout& /*checkout*/,
                   const session::InputSettings& settings) {
    use.add(*file.recipe,
            file.machine,
            known.accept(*file.recipe, file.result),
            known.undecided(*file.recipe, file.result, settings.selection, *settings.knowledge));
  };
  hooks.judge = [&](report::LintReport& report) {
    if (!is_sound(report)) {
      console.err << fmt::format("epwise: {} unchanged: not everything was checked\n", path);
      return ExitCode::clean;
    }
    auto left = use.left(
        [&](const std::string& name) { return console.files.is_file(known.place_of(name)); });
    const std::size_t gone = known.entries().size() - left.size();
    if (gone > 0) {
      console.files.write_atomically(path, Baseline::to_text(known.reason(), left));
    }
    const auto elsewhere = std::ranges::count_if(
        left, [&use](const Baseline::Entry& entry) { return use.is_of_another_target(entry); });
    console.err << fmt::format(
        "epwise: {}: {} resolved and removed, {} left{}\n",
        path,
        quantity(gone),
        left.size(),
        elsewhere == 0 ? ""
                       : fmt::format(", of which {} on targets that were not checked", elsewhere));
    return ExitCode::clean;
  };
  const ExitCode code = run_lint_with(console, lint, hooks);
  return code == ExitCode::findings ? ExitCode::clean : code;
}

ExitCode run_baseline(Console& console, const Arguments& arguments) {
  if (arguments.operands.size() < 2) {
    throw UsageError(
        "no baseline file given: `epwise baseline write baseline.yaml --reason TEXT recipes/`");
  }
  const std::string& path = arguments.operands[1];
  return arguments.operands.front() == "write" ? write(console, arguments, path)
                                               : prune(console, arguments, path);
}

}  // namespace

Command baseline_command() {
  std::vector<Option> options = target_options();
  options.push_back({.name = "--reason",
                     .arity = Option::Arity::one,
                     .value = "TEXT",
                     .summary = "why these findings are accepted for now; required by `write`",
                     .brief = true});
  for (const std::vector<Option>& more : {selection_options(), configuration_options()}) {
    options.insert(options.end(), more.begin(), more.end());
  }
  return {.name = "baseline",
          .usage = "baseline write|prune [OPTION...] FILE [PATH...]",
          .summary = "record known findings, and remove those that no longer occur",
          .examples = {{"baseline write baseline.yaml --reason \"before the gate\" recipes/",
                        "record today's findings"},
                       {"lint recipes/ --baseline baseline.yaml", "fail only on new findings"},
                       {"baseline prune baseline.yaml recipes/",
                        "remove findings that no longer occur"}},
          .options = std::move(options),
          .exits = {{ExitCode::clean, "written, or nothing to remove"},
                    {ExitCode::nothing_checked, "nothing checked, nothing written"}},
          .actions = {"write", "prune"},
          .about = kAboutBaseline,
          .operands = Completion::files,
          .run = run_baseline};
}

}  // namespace epwise::cli
