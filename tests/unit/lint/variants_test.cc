/// A variant that is judged fast equals a lint of the recipe that has the value written.

#include "lint/variants.h"

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "lint/engine.h"
#include "recipe/overrides/scalar_types.h"
#include "support/example_target.h"
#include "support/sampling.h"

namespace {

using epwise::expr::Value;
using epwise::lint::Judgement;
using epwise::lint::Variants;
using epwise::test::sanitized_share;
using epwise::test::share;

/// A quoted switch is left out: the reader's remark gives way to rules that say what comes of it,
/// which variants do not weigh.
std::string ids(const std::vector<const epwise::lint::Rule*>& rules) {
  std::vector<std::string> all;
  for (const auto* rule : rules) {
    if (rule->id != "recipe/quoted-boolean") {
      all.emplace_back(rule->id);
    }
  }
  // A reader's diagnostic about a changed word is not made anew for a variant: a rule counts once.
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::string text;
  for (const auto& id : all) {
    text += id + " ";
  }
  return text;
}

std::string words(const Judgement& judgement) {
  return std::string(epwise::lint::to_string(judgement.verdict)) + " by " +
         (judgement.first == nullptr ? "nothing" : std::string(judgement.first->id)) +
         "; failed: " + ids(judgement.failed) + "; open: " + ids(judgement.open);
}

/// The same of a whole lint.
std::string words(const epwise::lint::Result& result) {
  Judgement judgement;
  judgement.verdict = result.launch.verdict;
  judgement.first = result.launch.rule;
  for (const auto& finding : result.findings) {
    judgement.failed.push_back(finding.rule);
  }
  for (const auto& open : result.open) {
    judgement.open.push_back(open.rule);
  }
  return words(judgement);
}

/// Another value of the same kind.
Value another(const Value& value, std::mt19937& random) {
  if (const bool* boolean = value.boolean()) {
    return Value::of(!*boolean);
  }
  if (const auto* integer = value.integer()) {
    constexpr std::array<std::int64_t, 6> kSteps = {-1, 1, 2, 3, 7, 64};
    return random() % 4 == 0 ? Value::unset() : Value::of(*integer + kSteps[random() % 6]);
  }
  if (value.text() != nullptr) {
    return random() % 2 == 0 ? Value::unset() : Value::of("alltoall");
  }
  return Value::of(true);
}

/// What the reader would say about a word that was put in its place.
void report_word(epwise::recipe::Recipe& recipe,
                 const epwise::recipe::Field& field,
                 const epwise::recipe::Vocabulary& defaults) {
  if (recipe.framework != epwise::recipe::Framework::bridge) {
    return;
  }
  const std::string rule = "recipe/unknown-word";
  std::erase_if(recipe.diagnostics, [&](const auto& diagnostic) {
    return diagnostic.rule == rule && diagnostic.mark == field.mark;
  });
  const auto* spec = recipe.vocabulary_or(defaults).find(field.name);
  if (spec != nullptr && epwise::recipe::unknown_word(field.value, spec->choices)) {
    recipe.diagnostics.push_back({rule, field.mark, "an unknown word"});
  }
}

}  // namespace

TEST_CASE("a variant is judged as the recipe with that value would be") {
  std::mt19937 random(7);
  int compared = 0;
  int number = 0;
  for (const auto& rule : epwise::test::knowledge().rules) {
    for (const auto& example : rule.prose->examples) {
      if (++number % (5 * std::max(sanitized_share(8), share(3))) != 0) {
        continue;
      }
      const auto linted =
          epwise::test::lint_text(example.recipe, example.arguments, epwise::test::knowledge());
      for (const auto& recipe : linted.recipes) {
        if (!recipe->readable || recipe->fields.empty()) {
          continue;
        }
        Variants variants(
            *recipe, *linted.vocabulary, linted.target->target, epwise::test::knowledge());
        for (int round = 0; round < 3; ++round) {
          auto field = recipe->fields.begin();
          std::advance(field, static_cast<long>(random() % recipe->fields.size()));
          const auto slot = epwise::test::knowledge().names.find(field->first);
          const bool is_preset = field->second.mark.nowhere();  // by a trainer: in no text
          if (!slot || is_preset || field->first.find('.') == std::string::npos) {
            continue;
          }
          const auto value = another(field->second.value, random);
          auto changed = *recipe;
          auto& written = changed.fields.find(field->first)->second;
          written.value = value;
          report_word(changed, written, *linted.vocabulary);
          const auto whole = epwise::lint::lint(
              changed, *linted.vocabulary, linted.target->target, epwise::test::knowledge());
          INFO(rule.id, ": ", field->first, " = ", value.to_text(), "\n", example.recipe);
          CHECK(words(variants.judge({{*slot, value}})) == words(whole));
          ++compared;
        }
      }
    }
  }
  CHECK(compared > 200 / std::max(sanitized_share(10), share(4)));
}

TEST_CASE("the recipe itself is judged as a lint judges it, also after variants") {
  int number = 0;
  for (const auto& rule : epwise::test::knowledge().rules) {
    if (rule.prose->examples.empty() || ++number % std::max(sanitized_share(10), share(3)) != 0) {
      continue;
    }
    const auto& example = rule.prose->examples.front();
    const auto linted =
        epwise::test::lint_text(example.recipe, example.arguments, epwise::test::knowledge());
    for (std::size_t i = 0; i < linted.recipes.size(); ++i) {
      const auto& recipe = *linted.recipes[i];
      if (!recipe.readable) {
        continue;
      }
      Variants variants(
          recipe, *linted.vocabulary, linted.target->target, epwise::test::knowledge());
      INFO(rule.id, "\n", example.recipe);
      CHECK(words(variants.base()) == words(linted.results[i]));
      const auto gpus = epwise::test::knowledge().names.find("gpus").value();
      variants.judge({{gpus, Value::of(24)}});
      CHECK(words(variants.judge({})) == words(linted.results[i]));
    }
  }
}

TEST_CASE("a change is felt by the rules that read what follows from it") {
  const auto linted =
      epwise::test::lint_text("model: {expert_model_parallel_size: 8, num_moe_experts: 64}\n",
                              "--hw h100 --gpus 16 --stack bridge=0.6.2",
                              epwise::test::knowledge());
  Variants variants(*linted.recipes.front(),
                    *linted.vocabulary,
                    linted.target->target,
                    epwise::test::knowledge());
  const auto ranks =
      epwise::test::knowledge().names.find("model.expert_model_parallel_size").value();
  const auto folder = epwise::test::knowledge().names.find("checkpoint.save").value();
  CHECK(variants.readers(ranks) > 20);
  CHECK(variants.readers(folder) < variants.readers(ranks));
}
