#include <algorithm>
#include <memory>
#include <ostream>
#include <set>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "cli/arguments.h"
#include "cli/commands/all.h"
#include "cli/lint/options.h"
#include "cli/manual/reference_page.h"
#include "cli/manual/rule_document.h"
#include "cli/report_output.h"
#include "cli/settings/rules_source.h"
#include "cli/target/options.h"
#include "cli/target/recipe_on_target.h"
#include "lint/engine.h"
#include "report/rules/catalogue_json.h"
#include "report/rules/coverage_writer.h"
#include "report/rules/drift_writer.h"

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
  const std::string format = arguments.text_of("--format", "text");
  const std::vector<const lint::Rule*> rules = chosen_rules(arguments, knowledge);
  if (format == "json") {
    session.out << report::rules_json(rules, knowledge);
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
  const std::string format = arguments.text_of("--format", "text");
  std::vector<const lint::Rule*> rules;
  for (std::size_t i = 1; i < arguments.operands.size(); ++i) {
    rules.push_back(&find_rule(knowledge, arguments.operands[i]));
  }
  if (format == "json") {
    session.out << report::rules_json(rules, knowledge);
    return ExitCode::clean;
  }
  const int width = text_width(session.terminal, session.variables);
  for (const lint::Rule* rule : rules) {
    session.out << (rule == rules.front() ? "" : "\n")
                << to_text(document_of(*rule, knowledge), width);
  }
  return ExitCode::clean;
}

/// What the rules cover, and with a recipe, which of its parameters.
ExitCode coverage(Session& session, const Arguments& arguments) {
  if (arguments.operands.size() > 2) {
    throw UsageError("`epwise rules coverage` looks at one recipe");
  }
  report::CoverageReport report;
  std::unique_ptr<RecipeOnTarget> recipe;  // what is counted refers to its rules
  lint::Knowledge alone;
  if (arguments.operands.size() == 2) {
    recipe = std::make_unique<RecipeOnTarget>(
        session, arguments, arguments.operands[1], target_settings(arguments));
    const auto reading = recipe->read();
    report.path = reading.recipe->path;
    report.parameters = audit::parameters(
        *reading.recipe, reading.recipe->vocabulary_or(*reading.vocabulary), recipe->knowledge());
  } else {
    alone = load_rules(session, arguments.one("--rules"));
  }
  report.rules = audit::coverage(recipe == nullptr ? alone : recipe->knowledge());
  const std::string format = arguments.text_of("--format", "text");
  session.out << (format == "json" ? report::coverage_json(report)
                                   : report::coverage_text(report, style_of(arguments, session)));
  return ExitCode::clean;
}

/// Which rules stand on upstream lines that a newer checkout has changed.
ExitCode drift(Session& session, const Arguments& arguments) {
  const auto upstream = arguments.one("--upstream");
  if (!upstream || arguments.operands.size() > 1) {
    throw UsageError(
        "which sources? `epwise rules drift --upstream DIR`, a checkout of Megatron-LM or "
        "Megatron-Bridge");
  }
  const lint::Knowledge knowledge = load_rules(session, arguments.one("--rules"));
  const auto report =
      audit::drift(session.files, upstream->value, arguments.text_of("--repository"), knowledge);
  const std::string format = arguments.text_of("--format", "text");
  session.out << (format == "json" ? report::drift_json(report)
                                   : report::drift_text(report, style_of(arguments, session)));
  const bool stands = std::ranges::none_of(report.drifts, [](const audit::Drift& each) {
    return each.ground == audit::Ground::changed || each.ground == audit::Ground::gone;
  });
  return stands ? ExitCode::clean : ExitCode::findings;
}

ExitCode run(Session& session, const Arguments& arguments) {
  if (arguments.operands.front() == "drift") {
    return drift(session, arguments);
  }
  if (arguments.operands.front() == "coverage") {
    return coverage(session, arguments);
  }
  const lint::Knowledge knowledge = load_rules(session, arguments.one("--rules"));
  if (arguments.operands.front() == "reference") {
    session.out << reference_page(knowledge);
    return ExitCode::clean;
  }
  return arguments.operands.front() == "list" ? list(session, arguments, knowledge)
                                              : show(session, arguments, knowledge);
}

std::vector<Option> options() {
  std::vector<Option> result = {{.name = "--format",
                                 .short_name = "-f",
                                 .arity = Option::Arity::one,
                                 .value = "NAME",
                                 .summary = "text (default), json, or ids (list only)",
                                 .words = {"text", "json", "ids"},
                                 .completion = Completion::words},
                                rules_option(),
                                {.name = "--upstream",
                                 .arity = Option::Arity::one,
                                 .value = "DIR",
                                 .summary = "drift: sources of Megatron-LM or Megatron-Bridge",
                                 .completion = Completion::directories},
                                {.name = "--repository",
                                 .arity = Option::Arity::one,
                                 .value = "OWNER/NAME",
                                 .summary = "drift: whose sources they are, where the files don't "
                                            "tell"}};
  for (const auto& more : {target_options(), configuration_options()}) {
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

}  // namespace

Command rules_command() {
  return {.name = "rules",
          .usage =
              "rules list [RULE...] | rules show RULE... | rules coverage [RECIPE] | rules drift "
              "--upstream DIR | rules reference",
          .summary = "list the rules, show some, or say what they cover and stand on",
          .examples = {{"rules list", "all of them"},
                       {"rules list overlap/", "one topic"},
                       {"rules show EPO001 --format json", "one, for a program"},
                       {"rules coverage recipe.yaml", "which of its parameters rules look at"},
                       {"rules drift --upstream Megatron-LM", "rules whose ground has changed"}},
          .options = options(),
          .exits = {{ExitCode::clean, "done"},
                    {ExitCode::findings,
                     "coverage: a row is neither a rule nor listed; drift: upstream lines have "
                     "changed or are gone"}},
          .actions = {"list", "show", "coverage", "drift", "reference"},
          .run = run};
}

}  // namespace epwise::cli
