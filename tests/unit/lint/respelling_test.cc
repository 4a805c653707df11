// Repairs that follow from what was meant, and edits that would change nothing.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "lint/engine.h"
#include "lint/spelling_fixes.h"
#include "support/example_target.h"

namespace {

using epwise::lint::Finding;
using epwise::lint::Fix;
using epwise::lint::Tier;

/// "neutral: model.x = 8, remove model.y" for every fix with edits that a rule offers.
std::vector<std::string> offers(std::string_view recipe,
                                std::string_view rule,
                                std::string_view target = "") {
  const auto linted = epwise::test::lint_text(recipe, target, epwise::test::knowledge());
  std::vector<std::string> all;
  for (const Finding& finding : linted.results.front().findings) {
    for (const Fix& fix : finding.fixes) {
      if (finding.rule->id != rule || fix.edits.empty()) {
        continue;
      }
      std::string text = std::string(to_string(fix.tier)) + ":";
      for (const Fix::Edit& edit : fix.edits) {
        text += edit.remove ? " remove " + edit.field : " " + edit.field + " = " + edit.value;
      }
      all.push_back(std::move(text));
    }
  }
  return all;
}

using Offers = std::vector<std::string>;

}  // namespace

TEST_CASE("a word that is nearly legal becomes the legal one, before anything else") {
  CHECK(offers("model:\n  num_layers: 4\n  recompute_granularity: selektive\n",
               "recompute/unknown-granularity") ==
        Offers{"neutral: model.recompute_granularity = selective",
               "performance: remove model.recompute_granularity"});
  CHECK(offers("model:\n  num_layers: 4\n  recompute_granularity: FULL\n",
               "recompute/unknown-granularity")
            .front() == "neutral: model.recompute_granularity = full");
}

TEST_CASE("a word that is near to nothing is not guessed at") {
  const auto all = offers("model:\n  num_layers: 4\n  recompute_granularity: none\n",
                          "recompute/unknown-granularity");
  REQUIRE_FALSE(all.empty());
  CHECK(std::ranges::none_of(all, [](const auto& offer) { return offer.starts_with("neutral"); }));
}

TEST_CASE("an entry of a list is corrected in its place") {
  CHECK(offers("model:\n  num_layers: 4\n  recompute_granularity: selective\n"
               "  recompute_modules: [core_attn, layernrom]\n",
               "recompute/unknown-module")
            .front() == "neutral: model.recompute_modules = [core_attn, layernorm]");
}

TEST_CASE("what a reader finds of another type gets the type of its field") {
  struct Row {
    std::string_view recipe;
    std::string_view rule;
    Offers offers;
  };

  const std::vector<Row> rows{
      {"model:\n  num_layers: \"12\"\n",
       "recipe/text-for-number",
       {"neutral: model.num_layers = 12"}},
      {"model:\n  num_layers: twelve\n", "recipe/text-for-number", {}},
      {"model:\n  num_layers: 4\n  sequence_parallel: \"true\"\n",
       "recipe/quoted-boolean",
       {"neutral: model.sequence_parallel = true"}},
      {"model:\n  num_layers: 4\n  sequence_parallel: \"no\"\n",
       "recipe/quoted-boolean",
       {"training: model.sequence_parallel = false"}},
      {"_target_: megatron.bridge.training.config.ConfigContainer\noptimizer:\n"
       "  _target_: megatron.bridge.training.config.OptimizerConfig\n"
       "  lr: 1e-4\n  min_lr: 1e-5\n",
       "yaml/dialect-scalar",
       {"neutral: optimizer.lr = 0.0001 optimizer.min_lr = 1.0e-05"}},
      {"MODEL_ARGS:\n  --num-layers: 4\n  --recompute-granularity: selektive\n",
       "flags/bad-choice",
       {"neutral: --recompute-granularity = selective"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.recipe);
    CHECK(offers(row.recipe, row.rule) == row.offers);
  }
}

TEST_CASE("what stands there already is no edit") {
  const std::string_view rule = "hygiene/dropout-by-default";
  const std::string moe =
      "_target_: megatron.bridge.training.config.ConfigContainer\nmodel:\n"
      "  _target_: megatron.bridge.models.gpt_provider.GPTModelProvider\n"
      "  num_layers: 8\n  num_moe_experts: 8\n";
  CHECK(offers(moe + "  attention_dropout: 0.1\n", rule).front().find("attention_dropout") !=
        std::string::npos);
  for (const std::string_view zero : {"0.0", "0", "0.00"}) {
    const auto all = offers(moe + "  attention_dropout: " + std::string(zero) + "\n", rule);
    REQUIRE_FALSE(all.empty());
    CAPTURE(zero);
    CHECK(all.front() == "training: model.hidden_dropout = 0.0");
  }
}

TEST_CASE("an empty list is no value of a flag: the flag goes") {
  CHECK(offers("MODEL_ARGS:\n  --num-layers: 4\n  --cuda-graph-impl: none\n"
               "  --cuda-graph-modules: full_iteration_inference\n",
               "graphs/idle-inference-scope") == Offers{"neutral: remove --cuda-graph-modules"});
}
