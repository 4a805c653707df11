#include <ostream>
#include <set>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "cli/arguments.h"
#include "cli/commands/all.h"
#include "cli/machine.h"
#include "cli/rule_document.h"
#include "cli/rules_source.h"
#include "lint/engine.h"

namespace epwise::cli {

namespace {

using world::UsageError;

/// The rules that the words behind `list` choose: all, or those whose id or code begins so.
std::vector<const lint::Rule*> chosen_rules(const Arguments& arguments,
                                            const lint::Knowledge& knowledge) {
  std::set<const lint::Rule*> chosen;
  for (std::size_t i = 1; i < arguments.operands.size(); ++i) {
    lint::Selection selection;
    selection.select = {arguments.operands[i]};
    const std::size_t before = chosen.size();
    for (const lint::Rule& rule : knowledge.rules) {
      if (selection.takes(rule)) {
        chosen.insert(&rule);
      }
    }
    if (chosen.size() == before) {
      find_rule(knowledge, arguments.operands[i]);  // says what is wrong with the name
    }
  }
  std::vector<const lint::Rule*> rules;
  for (const lint::Rule& rule : knowledge.rules) {
    if (arguments.operands.size() == 1 || chosen.contains(&rule)) {
      rules.push_back(&rule);
    }
  }
  return rules;
}

std::string list_text(const std::vector<const lint::Rule*>& rules) {
  std::string text;
  std::size_t widest = 0;
  for (const lint::Rule* rule : rules) {
    widest = std::max(widest, rule->id.size());
  }
  for (const lint::Rule* rule : rules) {
    text += fmt::format("{:<7} {:<8} {:<{}}  {}\n",
                        rule->code,
                        lint::to_string(rule->severity),
                        rule->id,
                        widest,
                        rule->what);
  }
  return text;
}

ExitCode list(Session& session, const Arguments& arguments, const lint::Knowledge& knowledge) {
  const std::string format = arguments.one("--format").value_or(Setting{"text", ""}).value;
  const std::vector<const lint::Rule*> rules = chosen_rules(arguments, knowledge);
  if (format == "json") {
    session.out << rules_json(rules, knowledge);
  } else if (format == "ids") {
    for (const lint::Rule* rule : rules) {
      session.out << rule->id << '\n';
    }
  } else {
    session.out << list_text(rules);
  }
  return ExitCode::clean;
}

ExitCode show(Session& session, const Arguments& arguments, const lint::Knowledge& knowledge) {
  if (arguments.operands.size() < 2) {
    throw UsageError("which rule? `epwise rules show EPO001`; `epwise rules list` names them");
  }
  const std::string format = arguments.one("--format").value_or(Setting{"text", ""}).value;
  std::vector<const lint::Rule*> rules;
  for (std::size_t i = 1; i < arguments.operands.size(); ++i) {
    rules.push_back(&find_rule(knowledge, arguments.operands[i]));
  }
  if (format == "json") {
    session.out << rules_json(rules, knowledge);
    return ExitCode::clean;
  }
  const int width = text_width(session.terminal, session.variables);
  for (const lint::Rule* rule : rules) {
    session.out << (rule == rules.front() ? "" : "\n")
                << to_text(document_of(*rule, knowledge), width);
  }
  return ExitCode::clean;
}

ExitCode run(Session& session, const Arguments& arguments) {
  const lint::Knowledge knowledge = load_rules(session, arguments.one("--rules"));
  return arguments.operands.front() == "list" ? list(session, arguments, knowledge)
                                              : show(session, arguments, knowledge);
}

}  // namespace

Command rules_command() {
  return {.name = "rules",
          .usage = "rules list [RULE...] | rules show RULE...",
          .summary = "list the rules, or show some",
          .examples = {{"rules list", "all of them"},
                       {"rules list overlap/", "one topic"},
                       {"rules show EPO001 --format json", "one, for a program"}},
          .options = {{.name = "--format",
                       .short_name = "-f",
                       .arity = Option::Arity::one,
                       .value = "NAME",
                       .summary = "text (default), json, or ids (list only)",
                       .words = {"text", "json", "ids"},
                       .completion = Completion::words},
                      rules_option()},
          .actions = {"list", "show"},
          .run = run};
}

}  // namespace epwise::cli
