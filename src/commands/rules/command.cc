#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/text/count.h"
#include "commands/all.h"
#include "commands/rules/report.h"
#include "commands/rules/rule_document.h"
#include "lint/engine.h"
#include "lint/example.h"
#include "lint/knowledge.h"
#include "session/files/places.h"
#include "session/options/arguments.h"
#include "session/options/run_options.h"
#include "session/options/target_options.h"
#include "session/settings/rules_source.h"
#include "ui/catalogue_json.h"
#include "ui/findings/lint_report.h"
#include "ui/lint_options.h"
#include "ui/report_output.h"
#include "ui/single_recipe.h"

namespace epwise::cli {

namespace {

using os::UsageError;

/// The rules selected by the words after `list`: all, or those whose id or code has this prefix.
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
      find_rule(knowledge, arguments.operands[i]);  // reports what is wrong with the name
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

std::string rules_text(const std::vector<const lint::Rule*>& rules) {
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

/// The rules by what they do to a run and when.
std::string rules_by_effect(const std::vector<const lint::Rule*>& rules) {
  std::map<std::pair<lint::Effect, lint::Moment>, std::vector<const lint::Rule*>> groups;
  for (const lint::Rule* rule : rules) {
    groups[{rule->effect, rule->moment}].push_back(rule);
  }
  std::string text;
  for (const auto& [key, members] : groups) {
    text += fmt::format("{}{} ({})\n",
                        text.empty() ? "" : "\n",
                        report::consequence_text(key.first, key.second),
                        text::counted(members.size(), "rule"));
    text += rules_text(members);
  }
  return text;
}

ExitCode list_rules(Console& console,
                    const Arguments& arguments,
                    const lint::Knowledge& knowledge) {
  const std::string format = arguments.text_of("--format", "text");
  const std::vector<const lint::Rule*> rules = chosen_rules(arguments, knowledge);
  if (format == "json") {
    console.out << report::rules_json(rules, knowledge);
  } else if (format == "ids") {
    for (const lint::Rule* rule : rules) {
      console.out << rule->id << '\n';
    }
  } else {
    console.out << (arguments.flag("--when") ? rules_by_effect(rules) : rules_text(rules));
  }
  return ExitCode::clean;
}

ExitCode show_rules(Console& console,
                    const Arguments& arguments,
                    const lint::Knowledge& knowledge) {
  if (arguments.operands.size() < 2) {
    throw UsageError("no rule given: `epwise rules show EPO001`; see `epwise rules list`");
  }
  const std::string format = arguments.text_of("--format", "text");
  std::vector<const lint::Rule*> rules;
  for (std::size_t i = 1; i < arguments.operands.size(); ++i) {
    rules.push_back(&find_rule(knowledge, arguments.operands[i]));
  }
  if (format == "json") {
    console.out << report::rules_json(rules, knowledge);
    return ExitCode::clean;
  }
  const int width = text_width(console.terminal, console.variables);
  for (const lint::Rule* rule : rules) {
    console.out << (rule == rules.front() ? "" : "\n")
                << to_text(document_of(*rule, knowledge), width);
  }
  return ExitCode::clean;
}

/// The coverage of the rules and, with a recipe, of its parameters.
ExitCode coverage(Console& console, const Arguments& arguments) {
  if (arguments.operands.size() > 2) {
    throw UsageError("`epwise rules coverage` takes one recipe");
  }
  report::CoverageReport report;
  Workspace workspace(console.host(), given_by(arguments));
  std::shared_ptr<const lint::Knowledge> knowledge;
  if (arguments.operands.size() == 2) {
    const Analysis analysis = analyze_path(arguments.operands[1], arguments, console, workspace);
    knowledge = analysis.document->knowledge;
    report.path = analysis.recipe->path;
    report.parameters = audit::parameters(*analysis.recipe, analysis.vocabulary(), *knowledge);
  } else {
    knowledge = workspace.knowledge(run_settings(arguments));
  }
  report.rules = audit::coverage(*knowledge);
  const std::string format = arguments.text_of("--format", "text");
  console.out << (format == "json" ? report::coverage_json(report)
                                   : report::coverage_text(report, style_of(arguments, console)));
  return ExitCode::clean;
}

/// Rules that refer to upstream lines changed in a newer checkout.
ExitCode drift(Console& console, const Arguments& arguments) {
  const auto upstream = arguments.one("--upstream");
  if (!upstream || arguments.operands.size() > 1) {
    throw UsageError(
        "no sources given: `epwise rules drift --upstream DIR`, a checkout of Megatron-LM or "
        "Megatron-Bridge");
  }
  const lint::Knowledge knowledge = load_rules(console.files, arguments.one("--rules"));
  const auto report =
      audit::drift(console.files, upstream->value, arguments.text_of("--repository"), knowledge);
  const std::string format = arguments.text_of("--format", "text");
  console.out << (format == "json" ? report::drift_json(report)
                                   : report::drift_text(report, style_of(arguments, console)));
  const bool stands = std::ranges::none_of(report.drifts, [](const audit::Drift& each) {
    return each.ground == audit::Ground::changed || each.ground == audit::Ground::gone;
  });
  return stands ? ExitCode::clean : ExitCode::findings;
}

/// The rules whose examples are run, with the knowledge that contains them.
struct TestedRules {
  lint::Knowledge knowledge;
  std::vector<const lint::Rule*> rules;
};

/// A rule of the directory that --rules names: by its file, its id or its code.
const lint::Rule& rule_in(const lint::Knowledge& knowledge,
                          const os::Files& files,
                          const std::string& folder,
                          const std::string& operand) {
  const auto home = files.canonical(folder);
  const auto place = files.is_file(operand) ? files.canonical(operand) : std::nullopt;
  const auto inside = home && place ? session::below(*home, *place) : std::nullopt;
  return find_rule(knowledge, inside ? inside->substr(0, inside->rfind('.')) : operand);
}

TestedRules tested_rules(const Console& console, const Arguments& arguments) {
  const std::vector<std::string> operands(arguments.operands.begin() + 1, arguments.operands.end());
  const std::optional<Setting> folder = arguments.one("--rules");
  if (!folder && operands.size() != 1) {
    throw UsageError(
        operands.empty()
            ? "no rule given: `epwise rules test team/batch/small.yaml`, or a directory of rules"
            : "give one rule file or directory, or `--rules DIR` and some of its rules");
  }
  const os::Files& files = console.files;
  const std::string place = folder ? folder->value : operands.front();
  if (!files.is_file(place) && !files.is_directory(place)) {
    throw os::MissingError(fmt::format("{}: no such file or directory", place));
  }
  TestedRules tested{folder ? load_rules(files, folder) : lint::load_knowledge(&files, place), {}};
  if (!folder || operands.empty()) {
    tested.rules = lint::rules_of(tested.knowledge, files, place);
    return tested;
  }
  for (const std::string& operand : operands) {
    tested.rules.push_back(&rule_in(tested.knowledge, files, place, operand));
  }
  return tested;
}

/// Runs the examples of rules and prints those that give something else than they state.
ExitCode test_rules(Console& console, const Arguments& arguments) {
  if (arguments.text_of("--format", "text") != "text") {
    throw UsageError("`epwise rules test` has no other format than text");
  }
  const TestedRules tested = tested_rules(console, arguments);
  lint::ExampleVocabularies vocabularies;
  std::size_t count = 0;
  std::size_t wrong = 0;
  for (const lint::Rule* rule : tested.rules) {
    std::size_t number = 0;
    for (const lint::Example& example : rule->prose->examples) {
      ++number;
      ++count;
      const std::string outcome = lint::outcome_of(*rule, example, tested.knowledge, vocabularies);
      if (outcome != lint::to_string(example.verdict)) {
        ++wrong;
        console.out << fmt::format("{} ({}), example {}: it states `{}`, the rule gives `{}`\n",
                                   rule->id,
                                   rule->code,
                                   number,
                                   lint::to_string(example.verdict),
                                   outcome);
      }
    }
  }
  console.out << fmt::format("{} of {} as stated: {}\n",
                             count - wrong,
                             text::counted(count, "example"),
                             text::counted(tested.rules.size(), "rule"));
  return wrong == 0 ? ExitCode::clean : ExitCode::findings;
}

ExitCode run_rules(Console& console, const Arguments& arguments) {
  if (arguments.operands.front() == "test") {
    return test_rules(console, arguments);
  }
  if (arguments.operands.front() == "drift") {
    return drift(console, arguments);
  }
  if (arguments.operands.front() == "coverage") {
    return coverage(console, arguments);
  }
  const lint::Knowledge knowledge = load_rules(console.files, arguments.one("--rules"));
  if (arguments.operands.front() == "reference") {
    console.out << reference_page(knowledge);
    return ExitCode::clean;
  }
  return arguments.operands.front() == "list" ? list_rules(console, arguments, knowledge)
                                              : show_rules(console, arguments, knowledge);
}

std::vector<Option> rules_options() {
  std::vector<Option> result = {
      {.name = "--format",
       .short_name = "-f",
       .arity = Option::Arity::one,
       .value = "NAME",
       .summary = "text (default), json, or ids (list only)",
       .words = {"text", "json", "ids"},
       .completion = Completion::words},
      rules_option(),
      {.name = "--when", .summary = "list: grouped by what happens to the run, and when"},
      {.name = "--upstream",
       .arity = Option::Arity::one,
       .value = "DIR",
       .summary = "drift: source tree of Megatron-LM or Megatron-Bridge",
       .completion = Completion::directories},
      {.name = "--repository",
       .arity = Option::Arity::one,
       .value = "OWNER/NAME",
       .summary = "drift: the repository of the sources, if the files do not show it"}};
  for (const auto& more : {target_options(), configuration_options()}) {
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

}  // namespace

Command rules_command() {
  return {
      .name = "rules",
      .usage =
          "rules list [RULE...] | rules show RULE... | rules test FILE|DIR | rules coverage "
          "[RECIPE] | rules drift --upstream DIR | rules reference",
      .summary = "list, show or test rules, or report their coverage and upstream drift",
      .examples = {{"rules list", "all of them"},
                   {"rules list overlap/", "one topic"},
                   {"rules list --when", "by consequence: what hangs, what is wrong, what is slow"},
                   {"rules show EPO001 --format json", "one rule, machine-readable"},
                   {"rules test team/batch/small.yaml", "the examples of a rule of your own"},
                   {"rules test team", "those of every rule in a directory"},
                   {"rules coverage recipe.yaml", "which of its parameters are read by rules"},
                   {"rules drift --upstream Megatron-LM",
                    "rules whose upstream lines have changed"}},
      .options = rules_options(),
      .exits = {{ExitCode::clean, "done"},
                {ExitCode::findings,
                 "test: an example gives something else than it states; coverage: a row is "
                 "neither a rule nor listed; drift: upstream lines have changed or disappeared"}},
      .actions = {"list", "show", "test", "coverage", "drift", "reference"},
      .run = run_rules};
}

}  // namespace epwise::cli
