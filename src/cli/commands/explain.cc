#include <istream>
#include <iterator>
#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "cli/arguments.h"
#include "cli/commands/all.h"
#include "cli/lint_options.h"
#include "cli/linting.h"
#include "cli/machine.h"
#include "cli/recipe_on_target.h"
#include "cli/report_output.h"
#include "cli/rule_document.h"
#include "cli/rules_source.h"
#include "cli/target_options.h"
#include "report/crash_writer.h"

namespace epwise::cli {

namespace {

constexpr std::size_t kLongestLog = std::size_t{64} << 20;

/// The rules behind the errors of a log; with a recipe, what in it broke them.
ExitCode explain_log(Session& session, const Arguments& arguments, const std::string& path) {
  if (arguments.operands.size() > 1) {
    throw world::UsageError("`epwise explain --from-log` takes one recipe at most");
  }
  report::CrashReport report;
  report.log = path;
  const std::string log = path == "-" ? std::string(std::istreambuf_iterator<char>(session.in),
                                                    std::istreambuf_iterator<char>())
                                      : session.files.read(path, kLongestLog);
  std::unique_ptr<RecipeOnTarget> recipe;  // the findings refer to its rules
  lint::Knowledge alone;
  if (!arguments.operands.empty() || !arguments.words.empty()) {
    const std::string file = arguments.operands.empty() ? "" : arguments.operands.front();
    recipe = std::make_unique<RecipeOnTarget>(session, arguments, file, target_settings(arguments));
    const auto reading = recipe->read();
    report.recipe = report::LintedFile{
        reading.recipe->path,
        reading.recipe,
        lint::lint(*reading.recipe, *reading.vocabulary, recipe->target(), recipe->knowledge()),
        describe(recipe->target(), reading.recipe->framework)};
  } else {
    alone = load_rules(session, arguments.one("--rules"));
  }
  bool known = true;
  for (auto& crash : audit::read_crashes(log)) {
    auto suspects = audit::suspects(crash,
                                    recipe == nullptr ? alone : recipe->knowledge(),
                                    report.recipe ? &report.recipe->result : nullptr);
    known = known && !suspects.empty();
    report.cases.push_back({std::move(crash), std::move(suspects)});
  }
  const std::string format = arguments.one("--format").value_or(Setting{"text", ""}).value;
  session.out << (format == "json" ? report::crash_json(report)
                                   : report::crash_text(report, style_of(arguments, session)));
  return known && !report.cases.empty() ? ExitCode::clean : ExitCode::findings;
}

ExitCode run(Session& session, const Arguments& arguments) {
  if (const auto log = arguments.one("--from-log")) {
    return explain_log(session, arguments, log->value);
  }
  if (arguments.operands.empty()) {
    throw world::UsageError("which rule? `epwise explain EPO001`; `epwise rules list` names them");
  }
  const lint::Knowledge knowledge = load_rules(session, arguments.one("--rules"));
  const std::string format = arguments.one("--format").value_or(Setting{"text", ""}).value;
  const int width = text_width(session.terminal, session.variables);
  std::vector<const lint::Rule*> rules;
  for (const std::string& name : arguments.operands) {
    rules.push_back(&find_rule(knowledge, name));
  }
  if (format == "json") {
    session.out << rules_json(rules, knowledge);
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
  return {.name = "explain",
          .usage = "explain CODE|ID... | explain --from-log FILE [RECIPE [-- WORD...]]",
          .summary = "what a rule finds, why it matters, and what to do; what a crash was about",
          .examples = {{"explain EPO001", "by code"},
                       {"explain overlap/expert-ranks --format markdown", "by id"},
                       {"explain --from-log slurm-1234.out recipe.yaml --gpus 64",
                        "the rule behind a crash, and the fix"}},
          .options = options(),
          .operands = Completion::rules,
          .takes_words = true,
          .run = run};
}

}  // namespace epwise::cli
