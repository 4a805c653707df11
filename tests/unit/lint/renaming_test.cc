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

/// "neutral: --num-expert is --num-experts" for the edits of the rule's first finding; "" without.
std::string offer(std::string_view recipe, std::string_view rule, std::string_view target = "") {
  const auto linted = epwise::test::lint_text(recipe, target, epwise::test::knowledge());
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

TEST_CASE("what a misspelt key leaves at its default waits for it") {
  const auto linted = epwise::test::lint_text(R"(
model:
  expert_model_parallel_size: 8
  num_moe_experts: 64
  moe_token_dispacher_type: alltoall
comm_overlap: {tp_comm_overlap: false, overlap_moe_expert_parallel_comm: true}
mixed_precision: bf16_mixed
)",
                                              "--stack bridge=0.6.2",
                                              epwise::test::knowledge());
  const auto& result = linted.results.front();
  CHECK(result.launch.verdict == epwise::lint::Verdict::rejects);
  REQUIRE(result.launch.rule != nullptr);
  CHECK(result.launch.rule->id == "overlap/allgather-dispatcher");
  REQUIRE(result.root != nullptr);
  CHECK(result.root->id == "recipe/unknown-key");
  int found = 0;
  for (const Finding& finding : result.findings) {
    CHECK(finding.rule->id != "overlap/allgather-dispatcher");
    if (finding.rule->id == "recipe/unknown-key") {
      ++found;
      CHECK(finding.severity == epwise::lint::Severity::error);  // as heavy as what it brings about
      REQUIRE(finding.fixes.size() == 1);
      CHECK(finding.fixes.front().tier == epwise::lint::Tier::neutral);  // nothing ran with it
    }
  }
  CHECK(found == 1);
}

TEST_CASE("a section that is cut short is called by its name") {
  CHECK(offer("env:\n  NCCL_DEBUG: INFO\nmodel:\n  num_layers: 4\n",
              "recipe/unknown-key",
              "--stack bridge=0.6.2") == "performance: env is env_vars");
}

TEST_CASE("what an unknown preset would fill in waits for the preset's name") {
  const auto linted = epwise::test::lint_text(R"(
model:
  expert_model_parallel_size: 8
  num_moe_experts: 64
  moe_token_dispatcher_type: alltoall
comm_overlap: {tp_comm_overlap: false, overlap_moe_expert_parallel_comm: true}
mixed_precision: bf16_mxfp8_mixed
)",
                                              "--stack bridge=0.6.2",
                                              epwise::test::knowledge());
  for (const Finding& finding : linted.results.front().findings) {
    CHECK(finding.rule->id != "overlap/full-precision");
    if (finding.rule->id == "precision/unknown-preset") {
      REQUIRE_FALSE(finding.fixes.empty());
      CHECK(finding.fixes.front().edits.front().value == "bf16_with_mxfp8_mixed");
    }
  }
}
