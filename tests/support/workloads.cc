#include "support/workloads.h"

#include <memory>

#include "hw/profile.h"
#include "lint/knowledge.h"
#include "lint/settled_facts.h"
#include "recipe/load.h"

namespace epwise::test {

model::WorkloadReading workload_of(std::string_view text,
                                   std::string_view hw,
                                   int gpus,
                                   recipe::Framework framework,
                                   const std::map<std::string, std::string>& stack) {
  static const auto knowledge = lint::load_knowledge();
  const auto vocabulary = recipe::Vocabulary::load(framework, "head");
  recipe::Request request;
  request.file = std::make_shared<text::SourceFile>("recipe.yaml", std::string(text));
  request.framework = framework;
  const auto recipe = recipe::load(request, [&](recipe::Framework) -> const recipe::Vocabulary& {
                        return vocabulary;
                      }).front();
  model::Target target;
  target.hw = hw::find_profile(hw);
  target.gpus = gpus;
  for (const auto& [component, version] : stack) {
    target.stack.set(component, version, "--stack");
  }
  model::Facts facts(
      recipe, recipe.vocabulary_or(vocabulary), target, knowledge.names, knowledge.derived);
  lint::settle(facts, knowledge);
  return model::read_workload(facts);
}

}  // namespace epwise::test
