#include <ostream>
#include <string>
#include <vector>

#include "cli/commands/all.h"
#include "cli/files/git.h"
#include "cli/files/overlay_files.h"
#include "cli/gate/budgets.h"
#include "cli/gate/choice.h"
#include "cli/gate/receipt.h"
#include "cli/gate/verdict.h"
#include "cli/gate/witness_files.h"
#include "cli/lint/options.h"
#include "cli/lint/run.h"
#include "cli/target/options.h"

namespace epwise::cli {

namespace {

using world::UsageError;

constexpr std::string_view kAbout = R"(WHAT IT CHECKS
  Everything that `epwise lint` checks, in every recipe and launch script below the paths (the
  working directory without any), found by what they hold, and budgets on what `epwise simulate`
  predicts; one exit code for all.

  --since REF looks at files that differ from a revision, --staged at what is about to be committed,
  as it is staged. Both also look at what names a file that changed, as scripts name recipes and
  recipes their base, and at everything below an .epwise.yaml that changed. With either of them
  nothing to check is no failure. -q leaves notes out, unless --fail-on note makes them count.

BUDGETS
  A prediction is an interval. A budget is broken when all of it lies beyond the limit, kept when
  all of it lies within, and undecided otherwise, or where facts are missing; undecided budgets are
  told, and fail with --strict alone. A recipe that --against does not have, under this name or the
  one that git says it had, has no regression.

RECEIPT
  --receipt FILE writes what was checked: files by SHA-256, values, target, rules, result.
  `epwise gate --verify-receipt FILE` takes a millisecond: it passes when the gate had passed, with
  this program, and every file is as it was. A job's prolog can afford it.

TEMPLATES
  --format template=FILE fills a Mustache template: {{name}} is escaped for HTML, {{{name}}} is not,
  {{#list}}...{{/list}} repeats, {{^list}}...{{/list}} stands where it is empty or false.
    the whole     tool, version, exit_code, errors, warnings, notes, open, accepted, clean; lists:
                  files, findings, budgets, unreadable
    a file        path, framework, target, verdict, starts, rejects, clean, last; list: findings
    a finding     rule, code, severity, message, why, label, pointer, path, line, column, end_line,
                  end_column, last
    a budget      path, option, limit, state, text, last
    unreadable    sentence, last; an input that can't be read
    {{#findings}}{{{path}}}:{{line}}: {{{message}}}{{^last}}; {{/last}}{{/findings}}
  A name that means nothing is an error.
)";

ExitCode gate(Session& session, const Arguments& given) {
  Arguments arguments = given;
  if (arguments.operands.empty() && arguments.words.empty()) {
    arguments.operands.emplace_back(".");
  }
  const BudgetLimits limits = budget_limits(arguments);
  const Git git(session.programs);
  if (!limits.against.empty()) {
    git.check(limits.against);  // even where nothing is predicted
  }
  const Choice choice(session.files, git, arguments);
  Verdict verdict(session, arguments, limits, choice);
  OverlayFiles files(session.files, choice.staged_texts(), choice.staged_to_go());
  WitnessFiles witness(files);
  Session inner{session.in,
                session.out,
                session.err,
                verdict.wants_receipt() ? static_cast<world::Files&>(witness) : files,
                session.variables,
                session.terminal,
                session.devices,
                session.interruption,
                session.programs};
  LintHooks hooks;
  hooks.quiet_hides_notes = true;
  hooks.nothing_is_fine = choice.narrow() || arguments.flag("--skip-others");
  if (choice.narrow()) {
    hooks.narrow = [&choice](FileSelection& selection) { choice.apply(selection); };
  }
  hooks.each = [&verdict](report::LintedFile& file, const report::Checkout& /*checkout*/) {
    verdict.take(file);
  };
  hooks.judge = [&](report::LintReport& report) { return verdict.judge(inner, witness, report); };
  return run_lint_with(inner, arguments, hooks);
}

ExitCode verify(Session& session, const Arguments& arguments, const std::string& path) {
  if (!arguments.operands.empty()) {
    throw UsageError("--verify-receipt takes no paths: the receipt names them");
  }
  const Verification result = verify_receipt(session.files, path);
  for (const std::string& sentence : result.sentences) {
    session.err << "epwise: " << sentence << '\n';
  }
  if (result.sentences.empty() && !arguments.flag("--quiet")) {
    session.out << path << ": passed, and nothing has changed\n";
  }
  return result.code;
}

ExitCode run(Session& session, const Arguments& arguments) {
  if (const auto path = arguments.one("--verify-receipt")) {
    return verify(session, arguments, path->value);
  }
  return gate(session, arguments);
}

std::vector<Option> gate_options() {
  using enum Option::Arity;
  return {
      {.name = "--since",
       .arity = one,
       .value = "REF",
       .summary = "only files that differ from this revision",
       .variable = "EPWISE_SINCE",
       .brief = true},
      {.name = "--staged",
       .summary = "only what is staged for the next commit, as it is staged",
       .variable = "EPWISE_STAGED",
       .brief = true},
      {.name = "--skip-others",
       .summary = "named files that are no recipe are left out, as those in folders are",
       .variable = "EPWISE_SKIP_OTHERS"},
      {.name = "--receipt",
       .arity = one,
       .value = "FILE",
       .summary = "write what was checked",
       .variable = "EPWISE_RECEIPT",
       .completion = Completion::files,
       .brief = true},
      {.name = "--verify-receipt",
       .arity = one,
       .value = "FILE",
       .summary = "check nothing but whether this receipt still holds",
       .completion = Completion::files,
       .brief = true},
  };
}

std::vector<Option> options() {
  std::vector<Option> result = target_options();
  result.push_back(
      {.name = "--format",
       .short_name = "-f",
       .arity = Option::Arity::many,
       .value = "NAME[=PATH]",
       .summary = "as for lint: auto (default), full, concise, json, sarif, github, "
                  "gitlab, junit, rdjson, markdown, template=FILE; repeat it to write several",
       .variable = "EPWISE_FORMAT",
       .brief = true});
  for (const std::vector<Option>& more : {gate_options(),
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

}  // namespace

Command gate_command() {
  return {
      .name = "gate",
      .usage = "gate [OPTION...] [PATH...] [-- WORD...]",
      .summary = "lint and budgets in one exit code, for CI and before a job starts",
      .examples = {{"gate --hw h100 --gpus 64", "every recipe below this folder"},
                   {"gate --staged", "what is about to be committed"},
                   {"gate recipes/ --since main --max-regression 2% --against main",
                    "a pull request"},
                   {"gate train.sbatch --min-headroom 6GiB --receipt receipt.json",
                    "before the job is submitted"},
                   {"gate --verify-receipt receipt.json", "when it starts"}},
      .options = options(),
      .exits = {{ExitCode::clean, "checked, nothing at or above --fail-on, no budget broken"},
                {ExitCode::findings,
                 "checked, something at or above --fail-on, a budget broken, or a baseline that "
                 "has to shrink; with --strict also a rule or budget that can't be decided; a "
                 "receipt that does not hold"},
                {ExitCode::nothing_checked, "nothing was checked"}},
      .about = kAbout,
      .operands = Completion::files,
      .takes_words = true,
      .run = run};
}

}  // namespace epwise::cli
