// Repairs of misspelt keys and flags, and of sections without their class.

#include "lint/renaming.h"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "lint/engine.h"
#include "support/example_target.h"

namespace {

using epwise::lint::Finding;
using epwise::lint::Fix;

const epwise::lint::Knowledge& knowledge() {
  static const auto table = epwise::lint::load_knowledge();
  return table;
}

/// "neutral: --num-expert is --num-experts" for the edits of the rule's first finding; "" without.
std::string offer(std::string_view recipe, std::string_view rule, std::string_view target = "") {
  const auto linted = epwise::test::lint_text(recipe, target, knowledge());
  for (const Finding& finding : linted.results.front().findings) {
    for (const Fix& fix : finding.fixes) {
      if (finding.rule->id == rule && !fix.edits.empty()) {
        const Fix::Edit& edit = fix.edits.front();
        return std::string(to_string(fix.tier)) + ": " + edit.field +
               (epwise::lint::is_renaming(edit) ? " is " : " = ") + edit.value;
      }
    }
  }
  return {};
}

constexpr std::string_view kDump = "_target_: megatron.bridge.training.config.ConfigContainer\n";

}  // namespace

TEST_CASE("a misspelt key gets the name that it nearly has") {
  struct Row {
    std::string_view recipe;
    std::string_view rule;
    std::string_view offer;
  };

  const std::vector<Row> rows{
      {"model:\n  num_layers: 4\n  num_moe_expert: 8\n",
       "recipe/unknown-key",
       "training: model.num_moe_expert is num_moe_experts"},
      {"ddp:\n  overlap_grad_reduc: true\n",
       "recipe/unknown-key",
       "performance: ddp.overlap_grad_reduc is overlap_grad_reduce"},
      {"logger:\n  log_intervall: 5\n",
       "recipe/unknown-key",
       "neutral: logger.log_intervall is log_interval"},
      {"modle:\n  num_layers: 4\ntrain:\n  global_batch_size: 8\n",
       "recipe/unknown-key",
       "training: modle is model"},
      // the right name is taken, another section's field, nothing near
      {"model:\n  num_layers: 4\n  num_layer: 8\n", "recipe/unknown-key", ""},
      {"model:\n  overlap_grad_reduce: true\n", "recipe/unknown-key", ""},
      {"model:\n  depth: 8\n", "recipe/unknown-key", ""},
      {"MODEL_ARGS:\n  --num-layers: 4\n  --num-expert: 8\n",
       "flags/unrecognized",
       "neutral: --num-expert is --num-experts"},
      {"MODEL_ARGS:\n  --num-layers: 4\n  --moe-token-dispatcher: alltoall\n",
       "flags/unrecognized",
       "neutral: --moe-token-dispatcher is --moe-token-dispatcher-type"},
      {"MODEL_ARGS:\n  --num-layers: 4\n  --moe-router: x\n", "flags/unrecognized", ""},
      {"MODEL_ARGS:\n  --num-experts: 4\n  --num-expert: 8\n", "flags/unrecognized", ""},
      {"MODEL_ARGS:\n  --number-of-layers: 4\n", "flags/unrecognized", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.recipe);
    CHECK(offer(row.recipe, row.rule) == row.offer);
  }
}

TEST_CASE("a key that its class refuses ended the launch: its name is neutral") {
  const std::string near = std::string(kDump) +
                           "dataset:\n"
                           "  _target_: megatron.bridge.training.config.GPTDatasetConfig\n"
                           "  random_sed: 1234\n";
  CHECK(offer(near, "recipe/refused-key", "--stack bridge=0.6.2") ==
        "neutral: dataset.random_sed is random_seed");
}

TEST_CASE("a section that can only be of one class gets it") {
  const std::string_view rule = "recipe/section-target";
  CHECK(offer(std::string(kDump) + "scheduler:\n  lr_decay_iters: 9\n", rule) ==
        "neutral: scheduler._target_ = megatron.bridge.training.config.SchedulerConfig");
  CHECK(offer(std::string(kDump) + "dataset:\n  seq_length: 9\n", rule).empty());
}
