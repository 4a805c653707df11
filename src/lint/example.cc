#include "lint/example.h"

#include <algorithm>
#include <limits>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/core.h>

#include "base/os/files.h"
#include "base/units/checked.h"
#include "hw/profile.h"
#include "recipe/load.h"

namespace epwise::lint {

namespace {

void set_component(facts::Target& target, std::string_view pair) {
  const auto equals = pair.find('=');
  target.stack.set(pair.substr(0, equals), pair.substr(equals + 1), "--stack");
}

/// Components, and containers by their names.
void set_stack(facts::Target& target, const std::string& list, const Knowledge& knowledge) {
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto& containers = knowledge.containers;
    const auto container = std::ranges::find(containers, part, &Container::name);
    if (container == containers.end()) {
      set_component(target, part);
      continue;
    }
    for (const std::string_view component : container->components) {
      set_component(target, component);
    }
  }
}

void set_variable(facts::Target& target, const std::string& assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos) {
    target.environment[assignment] = std::nullopt;
  } else {
    target.environment[assignment.substr(0, equals)] = assignment.substr(equals + 1);
  }
}

}  // namespace

std::shared_ptr<const recipe::Vocabulary> ExampleVocabularies::of(recipe::Framework framework,
                                                                  const std::string& version) {
  auto& vocabulary = kept_[{framework, version}];
  if (vocabulary == nullptr) {
    vocabulary =
        std::make_shared<const recipe::Vocabulary>(recipe::Vocabulary::load(framework, version));
  }
  return vocabulary;
}

ExampleTarget example_target(std::string_view words, const Knowledge& knowledge) {
  ExampleTarget example;
  auto& target = example.target;
  std::istringstream in{std::string(words)};
  std::string option;
  std::string value;
  while (in >> option && in >> value) {
    if (option == "--hw") {
      target.hw = hw::find_profile(value);
      target.hw_source = "--hw";
      if (target.hw == nullptr) {
        throw os::UsageError(fmt::format("--hw: unknown hardware profile `{}`", value));
      }
    } else if (option == "--gpus") {
      target.gpus = units::whole_number(value, 1, std::numeric_limits<int>::max());
      if (!target.gpus) {
        throw os::UsageError(fmt::format("--gpus: `{}` is not a number of GPUs", value));
      }
      target.gpus_source = "--gpus";
    } else if (option == "--stack") {
      set_stack(target, value, knowledge);
    } else if (option == "--env") {
      set_variable(target, value);
    } else if (option == "--purpose") {
      target.purpose = value;
    } else if (option == "--harness") {
      const auto equals = value.find('=');
      const auto text = value.substr(equals + 1);
      target.harness[value.substr(0, equals)] = text == "true"    ? expr::Value::of(true)
                                                : text == "false" ? expr::Value::of(false)
                                                                  : expr::Value::of(text);
    } else if (option == "--framework") {
      example.framework = recipe::parse_framework(value);
    } else {
      throw os::UsageError(fmt::format("`with` of an example has an unknown option `{}`", option));
    }
  }
  return example;
}

LintedExample lint_example(std::string_view text,
                           std::string_view words,
                           const Knowledge& knowledge,
                           ExampleVocabularies& vocabularies) {
  LintedExample linted;
  linted.target = std::make_shared<ExampleTarget>(example_target(words, knowledge));
  const auto vocabulary_for = [&](recipe::Framework framework) -> const recipe::Vocabulary& {
    const auto* given = linted.target->target.stack.find(recipe::to_string(framework));
    const auto version =
        given != nullptr && given->version ? given->version->text() : std::string();
    linted.vocabulary = vocabularies.of(framework, version);
    return *linted.vocabulary;
  };
  recipe::Request request;
  request.file = std::make_shared<text::SourceFile>(example_file_name(text), std::string(text));
  request.framework = linted.target->framework;
  request.environment = linted.target->target.environment;
  for (auto& recipe : recipe::load(request, vocabulary_for)) {
    linted.recipes.push_back(std::make_shared<recipe::Recipe>(std::move(recipe)));
    auto& last = *linted.recipes.back();
    last.raw.erase("raw.unwritten");  // an example is the part of a whole recipe that matters
    if (linted.vocabulary == nullptr) {
      vocabulary_for(last.framework);
    }
    linted.results.push_back(lint(last, *linted.vocabulary, linted.target->target, knowledge));
  }
  return linted;
}

namespace {

/// Line of "# here", from 1; 0 when the example has none.
int marked_line(std::string_view recipe) {
  const auto here = recipe.find("# here");
  return here == std::string_view::npos
             ? 0
             : 1 + static_cast<int>(
                       std::count(recipe.begin(), recipe.begin() + static_cast<long>(here), '\n'));
}

/// What a finding says or offers twice; empty when nothing.
std::string said_twice(const Finding& finding) {
  std::string twice;
  std::vector<Location> places{finding.primary};
  for (const auto& place : finding.related) {
    for (const auto& other : places) {
      twice += place.mark == other.mark ? "place " + place.pointer + "; " : "";
      twice += !place.label.empty() && place.label == other.label ? place.label + "; " : "";
    }
    places.push_back(place);
  }
  std::set<std::string> offers;
  for (const auto& fix : finding.fixes) {
    std::string offer = fix.edits.empty() ? fix.title : "";
    for (const auto& edit : fix.edits) {
      offer += edit.field + "=" + edit.value + ";";
    }
    twice += offers.insert(offer).second ? "" : "fix " + fix.title + "; ";
  }
  return twice;
}

}  // namespace

std::string_view to_string(Example::Verdict verdict) {
  switch (verdict) {
    case Example::Verdict::fails:
      return "fails";
    case Example::Verdict::passes:
      return "passes";
    case Example::Verdict::open:
      break;
  }
  return "open";
}

std::string outcome_of(const Rule& rule,
                       const Example& example,
                       const Knowledge& knowledge,
                       ExampleVocabularies& vocabularies) {
  const auto linted = lint_example(example.recipe, example.arguments, knowledge, vocabularies);
  std::string said;
  for (const auto& result : linted.results) {
    for (const auto& crash : result.crashed_rules) {
      said += "crashed: " + crash + "; ";
    }
    for (const auto& finding : result.findings) {
      const std::string twice = said_twice(finding);
      said += twice.empty() ? "" : std::string(finding.rule->id) + " says twice: " + twice;
    }
    const auto finding = std::ranges::find(result.findings, &rule, &Finding::rule);
    if (finding != result.findings.end()) {
      const int line = finding->primary.mark.start().line;
      const int wanted = marked_line(example.recipe);
      said += wanted != 0 && wanted != line ? "fails on line " + std::to_string(line) +
                                                  " instead of " + std::to_string(wanted)
                                            : "fails";
      if (finding->message.find('{') != std::string::npos) {
        said += ", message not filled: " + finding->message;
      }
    }
    if (std::ranges::find(result.waiting, &rule) != result.waiting.end()) {
      said += "fails";  // and is not told, because the value is wrong by itself
    }
    if (std::ranges::find(result.open, &rule, &Open::rule) != result.open.end()) {
      said += "open";
    }
  }
  return said.empty() ? "passes" : said;
}

}  // namespace epwise::lint
