/// Any bytes as a rule of the user's own (--rules DIR): refused with places, or the recipe is
/// linted with it and every finding of it lies in the text.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lint/compiler.h"
#include "lint/engine.h"
#include "lint/knowledge.h"
#include "recipe/load.h"
#include "support/bare_knowledge.h"
#include "support/fuzz_target.h"
#include "support/fuzzed_recipe.h"
#include "support/head_vocabulary.h"
#include "support/require.h"

namespace {

using epwise::lint::Knowledge;
using epwise::recipe::Recipe;
using epwise::support::bare_knowledge;
using epwise::support::head_vocabulary;
using epwise::support::require;
using epwise::text::SourceFile;

constexpr const char* kSmallRecipe =
    "model: {num_layers: 4, num_moe_experts: 8, moe_router_topk: 2}\n"
    "train: {micro_batch_size: 1, global_batch_size: 8}\n";

const std::vector<Recipe>& recipes() {
  static const auto kRecipes = [] {
    epwise::recipe::Request request;
    request.file = std::make_shared<const SourceFile>("a.yaml", kSmallRecipe);
    return epwise::recipe::load(request, head_vocabulary);
  }();
  return kRecipes;
}

}  // namespace

FUZZ_TARGET(rules) {
  constexpr std::size_t kMost = 1U << 13U;
  if (size > kMost) {
    return 0;
  }
  const auto file = std::make_shared<const SourceFile>(
      "our/rule.yaml", std::string(reinterpret_cast<const char*>(data), size));
  Knowledge knowledge = bare_knowledge();
  std::vector<epwise::text::Diagnostic> problems;
  epwise::lint::add_rules(knowledge, {{"our/rule.yaml", file}}, problems);
  for (const auto& problem : problems) {
    require(!problem.message.empty() && epwise::support::is_inside(problem.mark));
  }
  if (!problems.empty()) {
    return 0;
  }
  epwise::facts::Target target;
  target.gpus = 16;
  for (const Recipe& recipe : recipes()) {
    const auto result =
        epwise::lint::lint(recipe, head_vocabulary(recipe.framework), target, knowledge);
    for (const auto& finding : result.findings) {
      require(finding.rule != nullptr && epwise::support::is_inside(finding.primary.mark));
    }
  }
  return 0;
}
