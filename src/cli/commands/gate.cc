#include <algorithm>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/commands/all.h"
#include "cli/dependants.h"
#include "cli/files/git.h"
#include "cli/files/overlay_files.h"
#include "cli/files/places.h"
#include "cli/gate/budgets.h"
#include "cli/gate/receipt.h"
#include "cli/gate/witness_files.h"
#include "cli/lint/options.h"
#include "cli/lint/run.h"
#include "cli/target/options.h"
#include "recipe/load.h"
#include "report/lint/tally.h"
#include "report/place.h"

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

std::set<std::string> chosen_files(const Git& git, const Arguments& arguments) {
  const auto since = arguments.one("--since");
  if (since && arguments.flag("--staged")) {
    throw UsageError("--since and --staged exclude each other");
  }
  return since ? git.changed_since(since->value) : git.staged();
}

/// What is staged, by absolute path.
struct Index {
  std::map<std::string, std::string> texts;
  std::set<std::string> gone;
};

Index read_index(const Git& git, const std::set<std::string>& names, const std::string& root) {
  Index index;
  for (const std::string& name : names) {
    if (const auto text = git.show_staged(name)) {
      index.texts.emplace(join(root, name), *text);
    } else {
      index.gone.insert(join(root, name));
    }
  }
  return index;
}

/// Leaves what was not chosen out of a selection. Names are compared as places, so that it does not
/// matter how a path was written; what is staged and gone from the disk is put in.
class Narrowing {
 public:
  Narrowing(const world::Files& files,
            std::string root,
            const std::set<std::string>& names,
            std::vector<std::string> operands)
      : files_(files),
        root_(std::move(root)),
        operands_(std::move(operands)) {
    for (const std::string& name : names) {
      const std::string place = join(root_, name);
      places_.insert(files_.canonical(place).value_or(place));
    }
  }

  /// `index`: null pointer where the files on the disk count.
  void apply(FileSelection& selection, const Index* index) const {
    Dependants dependants(files_, places_);
    std::erase_if(selection.inputs, [&](const Input& input) {
      const auto place = files_.canonical(input.path);
      return input.standard || !place || (index != nullptr && index->gone.contains(*place)) ||
             (!places_.contains(*place) && !dependants.hold(input.path));
    });
    if (index == nullptr) {
      return;
    }
    for (const auto& [place, text] : index->texts) {
      if (!files_.canonical(place) && is_lintable(place) && is_asked_for(place)) {
        selection.inputs.push_back({shown(files_, place), false, false});
      }
    }
    std::ranges::sort(selection.inputs, {}, &Input::path);
  }

 private:
  bool is_asked_for(const std::string& place) const {
    return std::ranges::any_of(operands_, [&](const std::string& operand) {
      const auto folder = files_.canonical(operand);
      return folder && (*folder == "/" || below(*folder, place));
    });
  }

  const world::Files& files_;
  std::string root_;
  std::set<std::string> places_;
  std::vector<std::string> operands_;
};

/// Files that changed, hold no recipe and held one before: nobody leaves the gate by emptying a
/// file or by a slip in its first key.
std::vector<std::string> lost_recipes(const world::Files& files,
                                      const Git& git,
                                      const std::string& revision,
                                      const std::vector<std::string>& skipped) {
  const std::string root = git.root();
  std::vector<std::string> lost;
  for (const std::string& path : skipped) {
    const auto name = below(root, files.canonical(path).value_or(path));
    const auto before = name ? git.show(revision, *name) : std::nullopt;
    if (before && recipe::sniff(text::SourceFile(path, *before))) {
      lost.push_back(path);
    }
  }
  return lost;
}

ExitCode budget_code(const std::vector<report::Budget>& budgets, bool strict) {
  const bool failed = std::ranges::any_of(
      budgets, [strict](const report::Budget& budget) { return report::fails(budget, strict); });
  return failed ? ExitCode::findings : ExitCode::clean;
}

ExitCode gate(Session& session, const Arguments& given) {
  Arguments arguments = given;
  if (arguments.operands.empty() && arguments.words.empty()) {
    arguments.operands.emplace_back(".");
  }
  const BudgetLimits limits = budget_limits(arguments);
  const auto receipt = arguments.one("--receipt");
  if (receipt && arguments.one("--rules")) {
    throw UsageError("a receipt speaks of the rules that are built in: leave out --rules");
  }
  const Git git(session.programs);
  if (!limits.against.empty()) {
    git.check(limits.against);  // even where nothing is predicted
  }
  const bool narrow = arguments.one("--since").has_value() || arguments.flag("--staged");
  const auto chosen = narrow ? chosen_files(git, arguments) : std::set<std::string>();
  const bool staged = arguments.flag("--staged");
  const std::string root = narrow ? git.root() : "";
  const Index index = staged ? read_index(git, chosen, root) : Index();
  OverlayFiles files(session.files, index.texts, index.gone);
  WitnessFiles witness(files);
  Session inner{session.in,
                session.out,
                session.err,
                receipt ? static_cast<world::Files&>(witness) : files,
                session.variables,
                session.terminal,
                session.devices,
                session.interruption,
                session.programs};
  LintHooks hooks;
  hooks.quiet_hides_notes = true;
  hooks.nothing_is_fine = narrow || arguments.flag("--skip-others");
  if (narrow) {
    hooks.narrow = [&, narrowing = Narrowing(session.files, root, chosen, arguments.operands)](
                       FileSelection& selection) {
      narrowing.apply(selection, staged ? &index : nullptr);
    };
  }
  std::vector<std::string> recipes;
  Receipt slip;
  hooks.each = [&](report::LintedFile& file, const report::Checkout& /*checkout*/) {
    const std::string path = report::file_path(file);
    if (file.recipe->readable && (recipes.empty() || recipes.back() != path)) {
      recipes.push_back(path);
    }
    if (receipt) {
      slip.add(file);
    }
  };
  hooks.judge = [&](report::LintReport& report) {
    ExitCode code = ExitCode::clean;
    if (limits.any()) {
      report.budgets = check_budgets(inner, arguments, limits, recipes);
      code = budget_code(report.budgets, report.strict);
    }
    if (report.baseline && report.baseline->settled > 0) {
      session.err << "epwise: the baseline has to shrink: it holds what is settled\n";
      code = worst(code, ExitCode::findings);
    }
    if (narrow) {
      const auto since = arguments.one("--since");
      const std::string revision = since ? since->value : "HEAD";
      for (const std::string& path : lost_recipes(session.files, git, revision, report.skipped)) {
        session.err << fmt::format(
            "epwise: {} was a recipe at {}, and is none any more\n", path, revision);
        code = worst(code, ExitCode::findings);
      }
    }
    if (receipt) {
      report.exit_code = to_int(worst(ExitCode{static_cast<std::uint8_t>(report.exit_code)}, code));
      slip.add(witness, report.skipped);
      session.files.write_atomically(receipt->value, slip.text(report));
    }
    return code;
  };
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
