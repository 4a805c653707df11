#include "cli/lint/baseline.h"

#include <algorithm>
#include <iterator>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/commands/all.h"
#include "cli/files/places.h"
#include "cli/lint/options.h"
#include "cli/lint/run.h"
#include "cli/target/options.h"
#include "report/lint/tally.h"

namespace epwise::cli {

namespace {

using world::UsageError;

constexpr std::string_view kAbout = R"(WHAT IT IS FOR
  A repository that has findings today can gate what is new: write them down once, and lint with
  --baseline FILE from then on. A finding is known by its rule, file, place in the document and the
  values that the rule read; another value makes it a new one. The file only shrinks: `prune` takes
  out what is settled, nothing puts anything in. A file that is no readable recipe has no known
  findings: it fails as it would without a baseline.

  Target and selection of rules are part of what was found: give both commands the same options, or
  keep them in .epwise.yaml.
)";

std::string quantity(std::size_t count) {
  return report::counted(static_cast<int>(count), "finding");
}

/// The paths behind the baseline's name; what lies here where there are none.
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

ExitCode write(Session& session, const Arguments& arguments, const std::string& path) {
  const auto reason = arguments.one("--reason");
  if (!reason || reason->value.empty()) {
    throw UsageError("a baseline has a reason: --reason \"before the gate was switched on\"");
  }
  if (session.files.is_file(path)) {
    throw UsageError(fmt::format(
        "{} exists, and a baseline only shrinks: `epwise baseline prune {}`", path, path));
  }
  LintHooks hooks;
  hooks.writes = false;
  std::vector<Baseline::Entry> entries;
  std::ptrdiff_t errors = 0;
  hooks.reads_baselines = false;
  hooks.each = [&](report::LintedFile& file, const report::Checkout& checkout) {
    const std::vector<Baseline::Entry> found = Baseline::entries_of(checkout, file);
    if (!found.empty()) {
      errors +=
          std::ranges::count(report::shown(file), lint::Severity::error, &lint::Finding::severity);
    }
    std::ranges::copy(found, std::back_inserter(entries));
  };
  hooks.judge = [&](report::LintReport& report) {
    if (!is_sound(report)) {
      session.err << fmt::format("epwise: {} is not written: not everything was checked\n", path);
      return ExitCode::clean;  // the run's own code says why
    }
    const std::size_t count = entries.size();
    session.files.write_atomically(path, Baseline::to_text(reason->value, std::move(entries)));
    session.err << fmt::format(
        "epwise: {} written with {}{}\n",
        path,
        quantity(count),
        errors == 0 ? ""
                    : fmt::format(" ({})", report::counted(static_cast<int>(errors), "error")));
    return ExitCode::clean;
  };
  const ExitCode code = run_lint_with(session, linted(arguments), hooks);
  return code == ExitCode::findings ? ExitCode::clean : code;
}

ExitCode prune(Session& session, const Arguments& arguments, const std::string& path) {
  const Arguments lint = linted(arguments);
  Baseline known = Baseline::read(session.files, path);
  LintHooks hooks;
  hooks.writes = false;
  hooks.reads_baselines = false;
  hooks.each = [&](report::LintedFile& file, const report::Checkout& checkout) {
    known.accept(checkout, file);
  };
  hooks.judge = [&](report::LintReport& report) {
    if (!is_sound(report)) {
      session.err << fmt::format("epwise: {} stays as it is: not everything was checked\n", path);
      return ExitCode::clean;
    }
    auto left = known.left([&](const std::string& name) {
      return session.files.is_file(join(report.checkout.root, Baseline::file_of(name)));
    });
    const std::size_t gone = known.size() - left.size();
    if (gone > 0) {
      session.files.write_atomically(path, Baseline::to_text(known.reason(), left));
    }
    session.err << fmt::format(
        "epwise: {}: {} settled and gone, {} left\n", path, quantity(gone), left.size());
    return ExitCode::clean;
  };
  const ExitCode code = run_lint_with(session, lint, hooks);
  return code == ExitCode::findings ? ExitCode::clean : code;
}

ExitCode run(Session& session, const Arguments& arguments) {
  if (arguments.operands.size() < 2) {
    throw UsageError("which file? `epwise baseline write baseline.yaml --reason TEXT recipes/`");
  }
  const std::string& path = arguments.operands[1];
  return arguments.operands.front() == "write" ? write(session, arguments, path)
                                               : prune(session, arguments, path);
}

}  // namespace

Command baseline_command() {
  std::vector<Option> options = target_options();
  options.push_back({.name = "--reason",
                     .arity = Option::Arity::one,
                     .value = "TEXT",
                     .summary = "why these findings are accepted for now; `write` needs one",
                     .brief = true});
  for (const std::vector<Option>& more : {selection_options(), configuration_options()}) {
    options.insert(options.end(), more.begin(), more.end());
  }
  return {.name = "baseline",
          .usage = "baseline write|prune [OPTION...] FILE [PATH...]",
          .summary = "write down findings that are known, and take out what is settled",
          .examples = {{"baseline write baseline.yaml --reason \"before the gate\" recipes/",
                        "what is known today"},
                       {"lint recipes/ --baseline baseline.yaml", "fail on what is new"},
                       {"baseline prune baseline.yaml recipes/", "take out what is settled"}},
          .options = std::move(options),
          .exits = {{ExitCode::clean, "written, or nothing to take out"},
                    {ExitCode::nothing_checked, "nothing was checked, and nothing written"}},
          .actions = {"write", "prune"},
          .about = kAbout,
          .operands = Completion::files,
          .run = run};
}

}  // namespace epwise::cli
