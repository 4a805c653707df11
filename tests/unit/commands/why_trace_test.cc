#include <algorithm>

#include <doctest/doctest.h>

#include "commands/why/trace.h"
#include "support/example_target.h"

namespace epwise::why {
namespace {

/// A recipe with everything its tracer refers to.
struct Traced {
  Traced(const char* text, const char* words)
      : linted(test::lint_text(text, words, test::knowledge())),
        tracer(*linted.recipes.front(),
               linted.recipes.front()->vocabulary ? *linted.recipes.front()->vocabulary
                                                  : *linted.vocabulary,
               linted.target->target,
               test::knowledge()) {}

  Trace of(const char* name) const { return tracer.trace(tracer.resolve(name)); }

  test::Linted linted;
  Tracer tracer;
};

constexpr const char* kBridge = R"(
model:
  num_moe_experts: 8
  pipeline_model_parallel_size: 2
  moe_token_dispatcher_type: alltoall
comm_overlap: {tp_comm_overlap: false, overlap_moe_expert_parallel_comm: true}
ddp: {overlap_grad_reduce: true}
)";

constexpr const char* kMegatron = R"(
MODEL_ARGS:
  --num-layers: 4
  --num-experts: 8
  --tensor-model-parallel-size: 1
  --sequence-parallel: true
)";

TEST_CASE("a computed value is a tree down to what somebody said") {
  const Traced traced(kBridge, "--gpus 64 --stack bridge=0.6.2");
  const Trace trace = traced.of("data_parallel_size");
  CHECK(trace.key == "d.DP");
  CHECK(trace.value.to_text() == "32");
  REQUIRE_FALSE(trace.inputs.empty());
  const auto gpus = std::ranges::find(trace.inputs, "gpus", &Trace::key);
  REQUIRE(gpus != trace.inputs.end());
  CHECK(gpus->steps.front().by == "--gpus");
  const auto pp =
      std::ranges::find(trace.inputs, "model.pipeline_model_parallel_size", &Trace::key);
  REQUIRE(pp != trace.inputs.end());  // d.PP is only another name
  CHECK(pp->steps.back().kind == Step::Kind::written);
  CHECK(pp->steps.back().mark.start().line == 4);
  const auto tp = std::ranges::find(trace.inputs, "model.tensor_model_parallel_size", &Trace::key);
  REQUIRE(tp != trace.inputs.end());
  CHECK(tp->steps.front().kind == Step::Kind::standard);
  CHECK(tp->steps.front().by == "Megatron-Bridge 0.6.2");
}

TEST_CASE("a division that leaves something over says so, and what the framework does with it") {
  const Traced traced(kBridge, "--gpus 63 --stack bridge=0.6.2");
  const Trace trace = traced.of("data_parallel_size");
  CHECK(trace.value.to_text() == "31");
  REQUIRE(trace.inexact.size() == 1);
  CHECK(trace.inexact.front().remainder.dividend == "63");
  CHECK(trace.inexact.front().remainder.divisor == "2");
  CHECK(trace.inexact.front().remainder.left == "1");
  REQUIRE(trace.inexact.front().rule != nullptr);
  CHECK(trace.inexact.front().rule->code == "PAR001");
  CHECK(trace.inexact.front().rejects);
  CHECK(Traced(kBridge, "--gpus 64").of("data_parallel_size").inexact.empty());
}

TEST_CASE("a division that no premise speaks of leads to the rule that asks for it") {
  const Traced traced("model:\n  num_moe_experts: 60\n  expert_model_parallel_size: 16\n",
                      "--gpus 16");
  const Trace trace = traced.of("d.local_experts");
  CHECK(trace.value.to_text() == "3");
  REQUIRE(trace.inexact.size() == 1);
  CHECK(trace.inexact.front().remainder.left == "12");
  REQUIRE(trace.inexact.front().rule != nullptr);
  CHECK(trace.inexact.front().rule->code == "PAR006");
  CHECK_FALSE(trace.inexact.front().rejects);  // Bridge finds it out when the layer is built
}

TEST_CASE("the Megatron-Core of a Bridge says where it is known from") {
  const Trace trace = Traced(kBridge, "--stack bridge=0.5.0").of("mcore");
  CHECK(trace.value.to_text() == "0.18.0");
  REQUIRE_FALSE(trace.steps.empty());
  CHECK(trace.steps.back().by.find("v0.5.0") != std::string::npos);
}

TEST_CASE("what is unknown says what would settle it") {
  const Trace trace = Traced(kBridge, "").of("DP");
  REQUIRE(trace.value.is_unknown());
  CHECK(trace.value.unknown()->needs == std::vector<std::string>{"gpus"});
}

TEST_CASE("what the launch rewrites has a station with stage, reason and place") {
  const Trace bridge = Traced(kBridge, "--gpus 64 --stack bridge=0.6.2")
                           .of("model.overlap_moe_expert_parallel_comm");
  CHECK(bridge.value.to_text() == "true");
  REQUIRE(bridge.steps.size() >= 2);
  CHECK(bridge.steps.front().kind == Step::Kind::standard);
  CHECK(bridge.steps.back().kind == Step::Kind::rewritten);
  CHECK_FALSE(bridge.steps.back().by.empty());
  CHECK_FALSE(bridge.steps.back().upstream.empty());

  const Trace megatron = Traced(kMegatron, "--gpus 8 --stack mlm=0.19.0").of("--sequence-parallel");
  CHECK(megatron.value.to_text() == "false");  // there is one tensor rank
  CHECK(megatron.steps.back().kind == Step::Kind::rewritten);
}

TEST_CASE("the last station holds the value as executed") {
  for (const auto* text : {kBridge, kMegatron}) {
    const Traced traced(text, "--gpus 8 --hw h100");
    for (const auto& spec : traced.linted.vocabulary->fields()) {
      const Trace trace = traced.tracer.trace(std::string(spec.name));
      CAPTURE(trace.key);
      REQUIRE_FALSE(trace.steps.empty());
      CHECK(trace.steps.back().value == trace.value);
    }
  }
}

TEST_CASE("a flag that switches something off stands behind the name of that") {
  const Traced megatron(R"(
MODEL_ARGS:
  --num-layers: 4
  --disable-bias-linear: true
  --swiglu: true
)",
                        "");
  const Trace bias = megatron.of("--disable-bias-linear");
  CHECK(bias.name == "add_bias_linear (--disable-bias-linear)");
  CHECK(bias.value.to_text() == "false");
  CHECK(megatron.of("--swiglu").name == "--swiglu");
}

TEST_CASE("a field has many names") {
  const Traced bridge(kBridge, "");
  CHECK(bridge.tracer.resolve("num_moe_experts") == "model.num_moe_experts");
  CHECK(bridge.tracer.resolve("overlap_grad_reduce") == "ddp.overlap_grad_reduce");
  CHECK(bridge.tracer.resolve("DP") == "d.DP");
  CHECK(bridge.tracer.resolve("te") == "stack.te");
  CHECK(bridge.tracer.resolve("num_moe_exports").empty());
  const auto candidates = bridge.tracer.candidates();
  CHECK(std::ranges::find(candidates, "data_parallel_size") != candidates.end());
  const Traced megatron(kMegatron, "");
  CHECK(megatron.tracer.resolve("--num-experts") == "model.num_moe_experts");
  CHECK(megatron.tracer.resolve("num_experts") == "model.num_moe_experts");
}

}  // namespace
}  // namespace epwise::why
