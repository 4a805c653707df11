#include <ostream>

#include <fmt/core.h>

#include "cli/arguments.h"
#include "cli/commands/all.h"
#include "cli/machine.h"
#include "cli/rule_document.h"
#include "cli/rules_source.h"

namespace epwise::cli {

namespace {

ExitCode run(Session& session, const Arguments& arguments) {
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

}  // namespace

Command explain_command() {
  return {.name = "explain",
          .usage = "explain CODE|ID...",
          .summary = "what a rule finds, why it matters, and what to do",
          .examples = {{"explain EPO001", "by code"},
                       {"explain overlap/expert-ranks --format markdown", "by id"}},
          .options = {{.name = "--format",
                       .short_name = "-f",
                       .arity = Option::Arity::one,
                       .value = "NAME",
                       .summary = "text (default), markdown or json",
                       .words = {"text", "markdown", "json"},
                       .completion = Completion::words},
                      rules_option()},
          .operands = Completion::rules,
          .run = run};
}

}  // namespace epwise::cli
