#include <ostream>
#include <string>
#include <string_view>

#include "cli/arguments.h"
#include "cli/commands/all.h"
#include "cli/lint/crash_explanation.h"
#include "cli/lint/options.h"
#include "cli/manual/rule_document.h"
#include "cli/report_output.h"
#include "cli/settings/rules_source.h"
#include "cli/target/options.h"
#include "report/rules/catalogue_json.h"

namespace epwise::cli {

namespace {

constexpr std::string_view kAbout = R"(LOGS
  --from-log reads tracebacks, complaints of argparse and lone error lines, also of ranks that write
  in turns. Their words and upstream lines lead to a rule; what goes wrong in a running job (no
  memory left, a time-out, a missing package, ...) is known by its words too. With the recipe and
  the target of the run (--hw, --gpus, --stack, words behind --) the finding is located and mended,
  or what of the recipe bears on the trouble is shown. Where nothing fits, it says what was looked
  for.
)";

ExitCode run(Session& session, const Arguments& arguments) {
  if (const auto log = arguments.one("--from-log")) {
    return explain_log(session, arguments, log->value);
  }
  if (arguments.operands.empty()) {
    throw world::UsageError("which rule? `epwise explain EPO001`; `epwise rules list` names them");
  }
  const lint::Knowledge knowledge = load_rules(session, arguments.one("--rules"));
  const std::string format = arguments.text_of("--format", "text");
  const int width = text_width(session.terminal, session.variables);
  std::vector<const lint::Rule*> rules;
  for (const std::string& name : arguments.operands) {
    rules.push_back(&find_rule(knowledge, name));
  }
  if (format == "json") {
    session.out << report::rules_json(rules, knowledge);
    return ExitCode::clean;
  }
  bool first = true;
  for (const lint::Rule* rule : rules) {
    const Document document = document_of(*rule, knowledge);
    session.out << (first ? "" : "\n")
                << (format == "markdown" ? to_markdown(document) : to_text(document, width));
    first = false;
  }
  return ExitCode::clean;
}

std::vector<Option> options() {
  std::vector<Option> result = {{.name = "--from-log",
                                 .arity = Option::Arity::one,
                                 .value = "FILE",
                                 .summary = "the rules behind the errors in a crash log; - for "
                                            "standard input",
                                 .completion = Completion::files,
                                 .brief = true},
                                {.name = "--format",
                                 .short_name = "-f",
                                 .arity = Option::Arity::one,
                                 .value = "NAME",
                                 .summary = "text (default), markdown or json",
                                 .words = {"text", "markdown", "json"},
                                 .completion = Completion::words},
                                rules_option()};
  for (const auto& more : {target_options(), configuration_options()}) {
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

}  // namespace

Command explain_command() {
  return {
      .name = "explain",
      .usage = "explain CODE|ID... | explain --from-log FILE [RECIPE [-- WORD...]]",
      .summary = "what a rule finds, why it matters, and what to do; what a crash was about",
      .examples = {{"explain EPO001", "by code"},
                   {"explain overlap/expert-ranks --format markdown", "by id"},
                   {"explain --from-log slurm-1234.out recipe.yaml --gpus 64",
                    "the rule behind a crash, and the fix"}},
      .options = options(),
      .exits = {{ExitCode::clean, "the rules are shown; with --from-log, the first error is known"},
                {ExitCode::findings, "with --from-log only: the first error is not known"}},
      .about = kAbout,
      .operands = Completion::rules,
      .takes_words = true,
      .run = run};
}

}  // namespace epwise::cli
