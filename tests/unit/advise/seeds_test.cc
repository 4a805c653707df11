// What the seed documents measured, and what advice says of the same recipes.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>

#include "advise/advisor.h"
#include "perf/cost/compiled_table.h"
#include "support/analyzed_recipe.h"
#include "support/example_file.h"

namespace epwise::advise {

namespace {

/// A large model on a rack: 256 experts over 64 ranks of one NVLink domain.
constexpr const char* kRack = R"(model:
  num_layers: 60
  hidden_size: 7168
  ffn_hidden_size: 18432
  num_attention_heads: 128
  kv_channels: 128
  num_query_groups: 128
  gated_linear_unit: true
  add_bias_linear: false
  vocab_size: 129280
  seq_length: 4096
  num_moe_experts: 256
  moe_router_topk: 8
  moe_ffn_hidden_size: 2048
  moe_grouped_gemm: true
  moe_router_force_load_balancing: true
  moe_token_dispatcher_type: alltoall
  moe_shared_expert_overlap: false
  tensor_model_parallel_size: 1
  pipeline_model_parallel_size: 4
  virtual_pipeline_model_parallel_size: 5
  expert_model_parallel_size: 64
  expert_tensor_parallel_size: 1
  bf16: true
comm_overlap:
  tp_comm_overlap: false
  overlap_moe_expert_parallel_comm: false
  delay_wgrad_compute: false
mixed_precision: bf16_mixed
ddp: {use_distributed_optimizer: true, overlap_grad_reduce: true, overlap_param_gather: true}
optimizer: {use_distributed_optimizer: true}
train: {global_batch_size: 2048, micro_batch_size: 1}
dataset: {sequence_length: 4096}
)";

struct Advised {
  Advice advice;
  session::Analysis recipe;
  cost::Table laws = cost::compiled_table();

  Advised(const std::string& text, const std::string& target, Request request)
      : recipe(test::analysis_of(text, target)) {
    const World world{recipe, laws, sim::constants(), {}};
    REQUIRE(strangers_of(knowledge(), request.freedom).empty());
    advice = advise(world, knowledge(), request);
    REQUIRE(advice.present.has_value());
  }

  const DispatcherRow& dispatcher(const std::string& name) const {
    const auto found = std::ranges::find(advice.dispatchers, name, &DispatcherRow::name);
    REQUIRE(found != advice.dispatchers.end());
    return *found;
  }

  const RungState& rung(const std::string& name) const {
    const auto found = std::ranges::find(advice.ladder, name, &RungState::name);
    REQUIRE(found != advice.ladder.end());
    return *found;
  }
};

Request only(std::vector<std::string> words) {
  Request request;
  request.freedom.may_change = std::move(words);
  request.seconds = 60;
  return request;
}

bool changes_to(const Plan& plan, const std::string& field, const std::string& value) {
  return std::ranges::any_of(plan.changes, [&](const PlanChange& change) {
    return change.field.find(field) != std::string::npos && change.to == value;
  });
}

}  // namespace

TEST_CASE("no overlap is recommended for Qwen3-30B with EP4 alltoall on two nodes") {
  for (const char* name : {"q30-ep4-gbs8-off", "q30-ep4-gbs64-off"}) {
    CAPTURE(name);
    const Advised advised(support::seed(name), "--hw h100 --gpus 16", only({"overlap"}));
    CHECK(advised.rung("overlap").verdict != sim::Verdict::b);
    for (const Plan& plan : advised.advice.plans) {
      CHECK_FALSE(changes_to(plan, "overlap_moe_expert_parallel_comm", "true"));
    }
  }
}

TEST_CASE("overlap pays for EP16 on 16 H100, delayed weight gradients don't clearly") {
  const Advised advised(support::seed("q30-ep16-off"), "--hw h100 --gpus 16", only({"overlap"}));
  const RungState& overlap = advised.rung("overlap");
  CHECK(overlap.legality.legal);
  CHECK(overlap.verdict == sim::Verdict::b);
  constexpr double kMeasured = 41.25 / 31.31;
  CHECK(overlap.added->low < kMeasured);
  CHECK(overlap.added->high > kMeasured);
  CHECK(advised.rung("wgrad").verdict == sim::Verdict::too_close);
  REQUIRE_FALSE(advised.advice.plans.empty());
  const Plan& first = advised.advice.plans.front();
  CHECK(changes_to(first, "overlap_moe_expert_parallel_comm", "true"));
  CHECK_FALSE(changes_to(first, "delay_wgrad_compute", "true"));
  CHECK(first.diff.find("+  overlap_moe_expert_parallel_comm: true") != std::string::npos);
  CHECK(std::ranges::any_of(first.environment, [](const auto& variable) {
    return variable.first == "CUDA_DEVICE_MAX_CONNECTIONS";
  }));
}

TEST_CASE("HybridEP stands first on NVL72 at a large expert group, and DeepEP is refused there") {
  const Advised advised(kRack, "--hw gb200 --gpus 256", only({"dispatcher"}));
  CHECK(advised.advice.dispatchers.front().name == "hybridep");
  CHECK(advised.dispatcher("hybridep").guidance.find("NVL72") != std::string::npos);
  const DispatcherRow& deepep = advised.dispatcher("deepep");
  CHECK_FALSE(deepep.legality.legal);
  REQUIRE(deepep.legality.rule != nullptr);
  CHECK(deepep.legality.rule->code == "DSP006");
}

TEST_CASE("plans lint clean, fit, and are what their diff says") {
  Request request;
  request.seconds = 60;
  request.freedom.may_change = {"dispatcher", "overlap", "graphs", "recompute"};
  const Advised advised(support::seed("q30-ep16-off"), "--hw h100 --gpus 16", request);
  REQUIRE_FALSE(advised.advice.plans.empty());
  const session::Analysis& base = advised.recipe;
  World world{base, advised.laws, sim::constants(), {}};
  double before = 0;
  for (const Plan& plan : advised.advice.plans) {
    CHECK(plan.verdict == sim::Verdict::b);
    CHECK(plan.speedup.low <= plan.speedup.value);
    CHECK(plan.out_of_memory <= 0.1);
    facts::Target target = *base.target;
    for (const auto& [name, value] : plan.environment) {
      target.environment[name] = value;
    }
    const session::Analysis trial = base.with(plan.draft).on(target);
    for (const lint::Finding& finding : trial.result.findings) {
      CHECK_MESSAGE(finding.severity == lint::Severity::note, finding.message);
    }
    world.base = base.with(plan.draft);
    Assessor after(world, nullptr);
    const Prospect prospect = after.predicted(Edits{});
    REQUIRE(prospect.work != nullptr);
    CHECK(prospect.assessment.step == doctest::Approx(plan.step.value).epsilon(1e-9));
    CHECK(plan.step.value >= before * 0.9);
    before = plan.step.value;
    CHECK_FALSE(plan.diff.empty());
    CHECK(std::ranges::is_sorted(plan.bring_up, {}, &BringUp::order));
  }
}

TEST_CASE("the search over a recipe's own space finds what looking at everything finds") {
  const session::Analysis recipe =
      test::analysis_of(support::seed("q30-ep16-off"), "--hw h100 --gpus 16");
  const cost::Table laws = cost::compiled_table();
  const World world{recipe, laws, sim::constants(), {}};
  Assessor bare(world, nullptr);
  const Space space(knowledge(), bare.cache().plain(), {{"overlap", "graphs", "dispatcher"}, {}});
  Assessor assessor(world, &space);
  const Assessment present = assessor.assess(space.start());
  double best = present.step;
  Candidate at = space.start();
  // Every combination, by counting.
  while (true) {
    if (space.canonical(at) == at) {
      const Assessment assessment = assessor.assess(at);
      best = assessment.usable() ? std::min(best, assessment.step) : best;
    }
    std::size_t axis = 0;
    for (; axis < at.size(); ++axis) {
      const auto& positions = space.dimensions()[axis].positions;
      const auto next = std::next(std::ranges::find(positions, at[axis]));
      if (next != positions.end()) {
        at[axis] = *next;
        break;
      }
      at[axis] = 0;
    }
    if (axis == at.size()) {
      break;
    }
  }
  const Advised advised(support::seed("q30-ep16-off"),
                        "--hw h100 --gpus 16",
                        only({"overlap", "graphs", "dispatcher"}));
  REQUIRE_FALSE(advised.advice.plans.empty());
  constexpr double kSimplicity = 1.02;  // what several changes may be worth less
  CHECK(advised.advice.plans.front().step.value <= kSimplicity * best);
}

TEST_CASE("what stays, stays") {
  Request request = only({"dispatcher", "overlap"});
  request.freedom.keep = {"overlap"};
  const Advised advised(support::seed("q30-ep16-off"), "--hw h100 --gpus 16", request);
  for (const auto* plans : {&advised.advice.plans, &advised.advice.close}) {
    for (const Plan& plan : *plans) {
      CHECK_FALSE(changes_to(plan, "overlap_moe_expert_parallel_comm", "true"));
    }
  }
}

TEST_CASE("a recipe with an error is repaired first") {
  std::string text = support::seed("q30-ep16-off");
  const std::string from = "moe_shared_expert_overlap: false";
  text.replace(text.find(from), from.size(), "moe_shared_expert_overlap: true");
  const std::string off = "overlap_moe_expert_parallel_comm: false";
  text.replace(text.find(off), off.size(), "overlap_moe_expert_parallel_comm: true");
  const Advised advised(text, "--hw h100 --gpus 16", only({"dispatcher"}));
  CHECK_FALSE(advised.advice.repairs.empty());
  CHECK(advised.advice.left.empty());
  CHECK_FALSE(advised.advice.repair_diff.empty());
}

TEST_CASE("why not: the rule that forbids a value, or what it costs") {
  const session::Analysis recipe =
      test::analysis_of(support::seed("q30-ep16-off"), "--hw h100 --gpus 16");
  const cost::Table laws = cost::compiled_table();
  const World world{recipe, laws, sim::constants(), {}};
  const WhyNot refused =
      why_not(world, knowledge(), {"model.expert_model_parallel_size", expr::Value::of(3), false});
  CHECK_FALSE(refused.legality.legal);
  CHECK(refused.legality.rule != nullptr);
  const WhyNot slower =
      why_not(world, knowledge(), {"model.tensor_model_parallel_size", expr::Value::of(2), false});
  CHECK(slower.legality.legal);
  REQUIRE(slower.speedup.has_value());
  CHECK(slower.speedup->value < 1);
  CHECK_FALSE(slower.costs.empty());
}

TEST_CASE("why not: a value that needs the rest of its move, and one that no other value rescues") {
  const cost::Table laws = cost::compiled_table();
  const std::vector<std::string> hybridep = {"model.moe_token_dispatcher_type=flex",
                                             "model.moe_flex_dispatcher_backend=hybridep"};
  const session::Analysis recipe =
      test::analysis_of(support::seed("q30-ep16-off"), "--hw gb200 --gpus 16", hybridep);
  const World world{recipe, laws, sim::constants(), {}};
  const auto ask = [&](const char* field, const char* value) {
    return why_not(world, knowledge(), {field, expr::Value::of(std::string(value)), false});
  };
  // DeepEP does not run there, whatever else changes.
  const WhyNot deepep = ask("model.moe_flex_dispatcher_backend", "deepep");
  CHECK_FALSE(deepep.legality.legal);
  REQUIRE(deepep.legality.rule != nullptr);
  CHECK(deepep.legality.rule->id == "dispatch/deepep-on-this-gpu");
  // A graph of the whole layer does not hold dropless experts; one of the attention does.
  const WhyNot graphs = ask("model.cuda_graph_impl", "transformer_engine");
  CHECK(graphs.legality.legal);
  CHECK(graphs.legality.reason.starts_with("alone it is not valid"));
}

}  // namespace epwise::advise
