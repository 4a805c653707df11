// One run of repairs reaches its end, by the smallest changes.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "fix/plan.h"
#include "fix/proof.h"
#include "support/analyzed_recipe.h"
#include "support/sampling.h"

namespace {

using epwise::fix::Plan;
using epwise::lint::Finding;
using epwise::lint::Fix;
using epwise::lint::Severity;
using epwise::lint::Tier;
using epwise::session::Analysis;
using epwise::test::analysis_of;

std::size_t remaining_errors(const Analysis& trial) {
  return static_cast<std::size_t>(
      std::ranges::count(trial.result.findings, Severity::error, &Finding::severity));
}

/// Eleven errors; the last ones show only when others are settled.
constexpr std::string_view kManyErrors = R"(
model:
  num_layers: 24
  hidden_size: 2048
  num_attention_heads: 16
  num_moe_experts: 60
  moe_ffn_hidden_size: 1408
  expert_model_parallel_size: 8
  tensor_model_parallel_size: 4
  sequence_parallel: false
  moe_token_dispatcher_type: allgather
  moe_router_topk: 80
  recompute_granularity: selektive
  moe_shared_expert_overlap: true
  overlap_moe_expert_parallel_comm: true
  cuda_graph_impl: transformer_engine
  cuda_graph_modules: [attn, moe]
  num_query_groups: 5
  moe_router_load_balancing_type: aux_los
  moe_expert_capacity_factor: 1.0
  moe_router_num_groups: 7
  moe_router_group_topk: 3
  virtual_pipeline_model_parallel_size: 2
train:
  global_batch_size: 30
  micro_batch_size: 4
)";

bool touches(const Plan& plan, std::string_view field) {
  return std::ranges::any_of(plan.repairs, [&](const auto& repair) {
    return std::ranges::any_of(repair.edits, [&](const auto& edit) { return edit.field == field; });
  });
}

}  // namespace

TEST_CASE("one run reaches the end: planning its result finds nothing to do") {
  for (const Tier tier : {Tier::neutral, Tier::performance, Tier::training}) {
    if (epwise::test::share(2) == 2 && tier == Tier::performance) {
      continue;  // the two others stand in
    }
    const std::string name(to_string(tier));
    CAPTURE(name);
    const Analysis before = analysis_of(kManyErrors, "--hw h100 --gpus 16 --stack bridge=0.6.2");
    REQUIRE(remaining_errors(before) >= 11);
    const Plan first = epwise::fix::plan(before, tier);
    const Plan second = epwise::fix::plan(first.after, tier);
    CHECK(second.repairs.empty());
    CHECK(second.after.draft == first.after.draft);
    if (tier == Tier::training) {
      CHECK(remaining_errors(first.after) == 0);
    }
  }
}

TEST_CASE("a search that is cut short still comes to an end, and says so") {
  const Analysis before = analysis_of(kManyErrors, "--hw h100 --gpus 16 --stack bridge=0.6.2");
  const Plan plan = epwise::fix::plan(before, Tier::training, {16, 5});
  CHECK(plan.bounded);
  CHECK(remaining_errors(plan.after) < remaining_errors(before));
}

TEST_CASE("the smallest repair is taken: a spelling, a switch, then a layout") {
  struct Row {
    std::string_view lines;
    std::string_view changes;
    std::string_view keeps;
  };

  const std::vector<Row> rows{
      {"  tensor_model_parallel_size: 4\n  sequence_parallel: false\n",
       "model.sequence_parallel",
       "model.tensor_model_parallel_size"},
      // One layout change would settle both, two ordinary changes are no more.
      {"  tensor_model_parallel_size: 4\n  sequence_parallel: false\n"
       "  moe_shared_expert_intermediate_size: 1026\n",
       "model.tensor_model_parallel_size",
       "model.sequence_parallel"},
      {"  recompute_granularity: selektive\n", "model.recompute_granularity", "model.num_layers"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.lines);
    const Analysis before = analysis_of(
        "model:\n  num_layers: 4\n  num_moe_experts: 8\n"
        "  num_attention_heads: 16\n  num_query_groups: 4\n  add_bias_linear: false\n" +
            std::string(row.lines),
        "--gpus 8 --stack bridge=0.6.2");
    const Plan plan = epwise::fix::plan(before, Tier::training);
    CHECK(touches(plan, row.changes));
    CHECK_FALSE(touches(plan, row.keeps));
    if (row.changes == "model.recompute_granularity") {
      CHECK(plan.after.draft.bytes.find("recompute_granularity: selective\n") != std::string::npos);
    }
  }
}

TEST_CASE("repairs of several rounds are told as one way") {
  using epwise::fix::Repair;
  std::vector<Repair> made{{"a/one", Tier::neutral, {{"x", "1", "2"}, {"y", std::nullopt, "3"}}}};
  append(made, {{"a/two", Tier::training, {{"x", "2", "4"}}}});
  append(made, {{"a/three", Tier::neutral, {{"y", "3", std::nullopt}, {"z", "5", "5"}}}});
  REQUIRE(made.size() == 1);
  REQUIRE(made.front().edits.size() == 1);
  CHECK(made.front().rule == "a/two");
  CHECK(to_text(made.front().edits.front()) == "x: 1 → 4");
}

TEST_CASE("a fix that brings something new is offered together with what settles that") {
  Analysis trial = analysis_of(R"(
model:
  num_layers: 4
  num_moe_experts: 16
  bf16: true
  expert_model_parallel_size: 4
  moe_token_dispatcher_type: alltoall
  cuda_graph_impl: transformer_engine
  cuda_graph_modules: [attn]
comm_overlap: {tp_comm_overlap: false, overlap_moe_expert_parallel_comm: true}
ddp: {use_megatron_fsdp: true}
rng: {te_rng_tracker: true}
)",
                               "--stack bridge=0.6.2");
  epwise::fix::prove_fixes(trial);
  const auto at = std::ranges::find_if(trial.result.findings, [](const Finding& each) {
    return each.rule->id == "overlap/sharded-layer-graphs";
  });
  REQUIRE(at != trial.result.findings.end());
  REQUIRE_FALSE(at->fixes.empty());
  const Fix& fix = at->fixes.front();
  CHECK(fix.edits.size() == 2);
  REQUIRE(fix.patches.size() == 1);
  CHECK(fix.patches.front().text.find("cuda_graph_impl: none\n") != std::string::npos);
  CHECK(fix.patches.front().text.find("cuda_graph_modules") == std::string::npos);
  CHECK(fix.edits.back().mark.start().line == 9);
}
