#include "support/example_target.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "hw/profile.h"

namespace epwise::test {

namespace {

void set_component(facts::Target& target, std::string_view pair) {
  const auto equals = pair.find('=');
  target.stack.set(pair.substr(0, equals), pair.substr(equals + 1), "--stack");
}

/// Components, and containers by their names.
void set_stack(facts::Target& target, const std::string& list) {
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto& containers = knowledge().containers;
    const auto container = std::ranges::find(containers, part, &lint::Container::name);
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

/// Read once a framework and version: reading takes longer than a lint of an example.
std::shared_ptr<const recipe::Vocabulary> vocabulary_of(recipe::Framework framework,
                                                        const std::string& version) {
  static std::map<std::pair<recipe::Framework, std::string>,
                  std::shared_ptr<const recipe::Vocabulary>>
      kept;
  auto& vocabulary = kept[{framework, version}];
  if (vocabulary == nullptr) {
    vocabulary =
        std::make_shared<const recipe::Vocabulary>(recipe::Vocabulary::load(framework, version));
  }
  return vocabulary;
}

}  // namespace

const lint::Knowledge& knowledge() {
  static const lint::Knowledge kKnowledge = lint::load_knowledge();
  return kKnowledge;
}

ExampleTarget parse_target(std::string_view words) {
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
        throw std::invalid_argument("no hardware profile " + value);
      }
    } else if (option == "--gpus") {
      target.gpus = std::stoi(value);
      target.gpus_source = "--gpus";
    } else if (option == "--stack") {
      set_stack(target, value);
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
      throw std::invalid_argument("unknown option in an example: " + option);
    }
  }
  return example;
}

Linted lint_text(std::string_view text, std::string_view words, const lint::Knowledge& knowledge) {
  Linted linted;
  linted.target = std::make_shared<ExampleTarget>(parse_target(words));
  const auto vocabulary_for = [&](recipe::Framework framework) -> const recipe::Vocabulary& {
    const auto* given = linted.target->target.stack.find(recipe::to_string(framework));
    const auto version =
        given != nullptr && given->version ? given->version->text() : std::string();
    linted.vocabulary = vocabulary_of(framework, version);
    return *linted.vocabulary;
  };
  recipe::Request request;
  request.file = std::make_shared<text::SourceFile>(file_name_of(text), std::string(text));
  request.framework = linted.target->framework;
  request.environment = linted.target->target.environment;
  for (auto& recipe : recipe::load(request, vocabulary_for)) {
    linted.recipes.push_back(std::make_shared<recipe::Recipe>(std::move(recipe)));
    auto& last = *linted.recipes.back();
    last.raw.erase("raw.unwritten");  // an example is the part of a whole recipe that matters
    if (linted.vocabulary == nullptr) {
      vocabulary_for(last.framework);
    }
    linted.results.push_back(
        lint::lint(last, *linted.vocabulary, linted.target->target, knowledge));
  }
  return linted;
}

}  // namespace epwise::test
