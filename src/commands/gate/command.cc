#include <ostream>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "commands/all.h"
#include "commands/gate/budgets.h"
#include "commands/gate/choice.h"
#include "commands/gate/gate.h"
#include "commands/gate/git.h"
#include "commands/gate/receipt.h"
#include "commands/gate/verdict.h"
#include "commands/lint/run.h"
#include "session/files/overlay_files.h"
#include "session/files/places.h"
#include "session/options/run_options.h"
#include "session/options/target_options.h"
#include "session/settings/configuration.h"
#include "session/workspace.h"
#include "ui/lint_options.h"
#include "ui/version.h"

namespace epwise::cli {

namespace {

using os::UsageError;

constexpr std::string_view kAboutGate = R"(WHAT IT CHECKS
  Everything that `epwise lint` checks, in every recipe and launch script below the given paths (by
  default the working directory), recognised by content, plus budgets on what `epwise simulate`
  predicts; one exit code for everything.

  --since REF checks files that differ from a revision, --staged checks the staged content of the
  next commit. Both also check files that refer to a changed file (scripts refer to recipes, recipes
  to their base), and everything below a changed .epwise.yaml. With either option, having nothing to
  check is not a failure. -q omits notes, unless --fail-on note makes them count.

BUDGETS
  A prediction is an interval. A budget is broken if the whole interval is beyond the limit, kept if
  the whole interval is within it, and otherwise undecided, as it is if facts are missing. Undecided
  budgets are reported and fail only with --strict. A recipe that does not exist in --against, under
  this name or the name from which git says it was renamed, has no regression.

RECEIPT
  --receipt FILE records what was checked: files by SHA-256, values, target, rules, result.
  `epwise gate --verify-receipt FILE` takes a millisecond: it passes if the gate passed, with this
  program, every file is unchanged, none was added to a directory that was checked, and no acceptance
  with `until` has expired. It is cheap enough for a job's prolog.

TEMPLATES
  --format template=FILE fills a Mustache template: {{name}} is escaped for HTML, {{{name}}} is not,
  {{#list}}...{{/list}} repeats, {{^list}}...{{/list}} is printed if the list is empty or false.
    top level     tool, version, exit_code, errors, warnings, notes, open, accepted, clean; lists:
                  files, findings, budgets, unreadable
    a file        path, framework, target, verdict, starts, rejects, clean, last; list: findings
    a finding     rule, code, severity, message, why, label, pointer, path, line, column, end_line,
                  end_column, last
    a budget      path, option, limit, state, text, last
    unreadable    sentence, last; an input that cannot be read
    {{#findings}}{{{path}}}:{{line}}: {{{message}}}{{^last}}; {{/last}}{{/findings}}
  An unknown name is an error.
)";

constexpr std::string_view kUsualOperand = ".";

ExitCode verify(Console& console, const Arguments& arguments, const std::string& path) {
  if (!arguments.operands.empty()) {
    throw UsageError("--verify-receipt takes no paths; the receipt contains them");
  }
  const Verification result =
      verify_receipt(console.files, path, session::today(console.variables));
  for (const std::string& sentence : result.sentences) {
    console.err << "epwise: " << sentence << '\n';
  }
  if (result.sentences.empty() && !arguments.flag("--quiet")) {
    console.out << path << ": passed, nothing has changed\n";
  }
  return result.code;
}

ExitCode run_gate(Console& console, const Arguments& arguments) {
  if (const auto path = arguments.one("--verify-receipt")) {
    return verify(console, arguments, path->value);
  }
  return gate(console, arguments, {});
}

std::vector<Option> own_gate_options() {
  using enum Option::Arity;
  return {
      {.name = "--since",
       .arity = one,
       .value = "REF",
       .summary = "check only files that differ from this revision",
       .variable = "EPWISE_SINCE",
       .brief = true},
      {.name = "--staged",
       .summary = "check only the staged content of the next commit",
       .variable = "EPWISE_STAGED",
       .brief = true},
      {.name = "--skip-others",
       .summary = "skip named files that are not recipes, as in directories",
       .variable = "EPWISE_SKIP_OTHERS"},
      {.name = "--receipt",
       .arity = one,
       .value = "FILE",
       .summary = "write a receipt of what was checked",
       .variable = "EPWISE_RECEIPT",
       .completion = Completion::files,
       .brief = true,
       .writes = Option::Writes::value},
      {.name = "--verify-receipt",
       .arity = one,
       .value = "FILE",
       .summary = "only check whether this receipt is still valid",
       .completion = Completion::files,
       .brief = true},
  };
}

std::vector<Option> gate_options() {
  std::vector<Option> result = target_options();
  result.push_back(
      {.name = "--format",
       .short_name = "-f",
       .arity = Option::Arity::many,
       .value = "NAME[=PATH]",
       .summary = "as for lint: auto (default), full, concise, json, sarif, github, "
                  "gitlab, junit, rdjson, markdown, template=FILE; repeat it to write several",
       .variable = "EPWISE_FORMAT",
       .brief = true,
       .writes = Option::Writes::after_equals});
  for (const std::vector<Option>& more : {own_gate_options(),
                                          budget_options(),
                                          selection_options(),
                                          acceptance_options(),
                                          configuration_options(),
                                          input_options()}) {
    result.insert(result.end(), more.begin(), more.end());
  }
  std::erase_if(result, [](const Option& option) { return option.name == "--exit-zero"; });
  return result;
}

/// A target whose paths match nothing leaves its recipes without hardware and versions: most rules
/// are then undecided, and the gate passes.
void warn_of_unused_targets(Console& console, const Arguments& arguments) {
  const auto chosen = arguments.one("--config");
  session::ConfigurationSearch search(console.files, chosen ? chosen->value : "", tool_version());
  std::set<std::string> told;
  for (const std::string& operand : arguments.operands) {
    const std::string place = console.files.is_directory(operand) ? operand : ".";
    const session::Configuration& configuration = search.find(session::join(place, "recipe.yaml"));
    if (configuration.path.empty() || !told.insert(configuration.path).second) {
      continue;
    }
    for (const auto* entry : session::unused_targets(console.files, configuration)) {
      console.err << fmt::format(
          "epwise: {}: the paths of this target match no YAML file or script: it applies to "
          "nothing\n",
          entry->source);
    }
  }
}

}  // namespace

ExitCode gate(Console& console, const Arguments& given, const GateWatch& watch) {
  Arguments arguments = given;
  if (arguments.operands.empty() && arguments.words.empty()) {
    arguments.operands.emplace_back(kUsualOperand);
  }
  const BudgetLimits limits = budget_limits(arguments);
  const Git git(console.programs);
  if (!limits.against.empty()) {
    git.check(limits.against);  // even where nothing is predicted
  }
  const Choice choice(console.files, git, arguments);
  warn_of_unused_targets(console, arguments);
  Verdict verdict(console, arguments, limits, choice);
  OverlayFiles files(console.files, choice.staged_texts(), choice.staged_to_go());
  WitnessFiles witness(files);
  Console inner = console.with(verdict.wants_receipt() ? static_cast<os::Files&>(witness) : files);
  LintHooks hooks;
  hooks.nothing_is_fine = choice.narrow() || arguments.flag("--skip-others");
  if (choice.narrow()) {
    hooks.narrow = [&choice](FileSelection& selection) { choice.apply(selection); };
  }
  hooks.each = [&](report::LintedFile& file,
                   const report::Checkout& /*checkout*/,
                   const session::InputSettings& /*settings*/) {
    verdict.take(file);
    if (watch.each) {
      watch.each(file);
    }
  };
  hooks.judge = [&](report::LintReport& report) {
    const ExitCode code = verdict.judge(inner, witness, report);
    if (watch.judged) {
      watch.judged(report);
    }
    return code;
  };
  return run_lint_with(inner, arguments, hooks);
}

Command gate_command() {
  return {.name = "gate",
          .usage = "gate [OPTION...] [PATH...] [-- WORD...]",
          .summary = "lint and check budgets with one exit code, for CI and before a job starts",
          .examples = {{"gate --hw h100 --gpus 64", "every recipe below this directory"},
                       {"gate --staged", "what is about to be committed"},
                       {"gate recipes/ --since main --max-regression 2% --against main",
                        "a pull request"},
                       {"gate train.sbatch --min-headroom 6GiB --receipt receipt.json",
                        "before the job is submitted"},
                       {"gate --verify-receipt receipt.json", "when it starts"}},
          .options = gate_options(),
          .exits = {{ExitCode::clean, "checked, nothing at or above --fail-on, no budget broken"},
                    {ExitCode::findings,
                     "checked, something at or above --fail-on, a budget broken, or a baseline "
                     "with resolved findings; with --strict also an undecided rule or budget; an "
                     "invalid receipt"},
                    {ExitCode::nothing_checked, "nothing checked"}},
          .about = kAboutGate,
          .operands = Completion::files,
          .usual_operand = kUsualOperand,
          .takes_words = true,
          .run = run_gate};
}

}  // namespace epwise::cli
