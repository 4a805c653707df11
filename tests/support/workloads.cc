#include "support/workloads.h"

#include <memory>

#include "hw/profile.h"
#include "lint/knowledge.h"
#include "lint/launch_run.h"
#include "recipe/load.h"

namespace epwise::test {

workload::WorkloadReading workload_of(std::string_view text,
                                      std::string_view hw,
                                      int gpus,
                                      recipe::Framework framework,
                                      const std::map<std::string, std::string>& stack,
                                      const std::map<std::string, std::string>& environment) {
  static const auto knowledge = lint::load_knowledge();
  const auto vocabulary = recipe::Vocabulary::load(framework, "head");
  recipe::Request request;
  request.file = std::make_shared<text::SourceFile>("recipe.yaml", std::string(text));
  request.framework = framework;
  const auto recipe = recipe::load(request, [&](recipe::Framework) -> const recipe::Vocabulary& {
                        return vocabulary;
                      }).front();
  facts::Target target;
  target.hw = hw::find_profile(hw);
  target.gpus = gpus;
  for (const auto& [name, value] : environment) {
    target.environment[name] = value;
  }
  if (const auto container = stack.find("container"); container != stack.end()) {
    for (const lint::Container& known : knowledge.containers) {
      if (known.name == container->second) {
        for (const std::string_view component : known.components) {
          const auto equals = component.find('=');
          target.stack.set(component.substr(0, equals), component.substr(equals + 1), "--stack");
        }
      }
    }
  }
  for (const auto& [component, version] : stack) {
    if (component != "container") {
      target.stack.set(component, version, "--stack");
    }
  }
  facts::Facts facts(
      recipe, recipe.vocabulary_or(vocabulary), target, knowledge.names, knowledge.derived);
  lint::settle(facts, knowledge);
  return workload::read_workload(facts);
}

}  // namespace epwise::test
