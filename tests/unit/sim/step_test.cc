#include "perf/sim/step/step.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "perf/sim/layer/layer_passes.h"
#include "perf/sim/prediction/prediction.h"
#include "perf/sim/step/waterfall.h"
#include "support/lowered_step.h"

namespace epwise::sim {
namespace {

using test::LoweredStep;
using test::small_recipe;

const std::string kAlltoall =
    "  expert_model_parallel_size: 16\n  moe_token_dispatcher_type: alltoall\n";
const std::string kOverlap =
    "comm_overlap: {overlap_moe_expert_parallel_comm: true, delay_wgrad_compute: false}\n";

TEST_CASE("terms of the waterfall sum to the step") {
  for (const std::string& rest : {std::string(), kOverlap}) {
    const LoweredStep all(small_recipe(kAlltoall, rest), "h100", 16);
    double sum = 0;
    for (const WaterfallTerm& term : waterfall_of(all.work, constants().values)) {
      sum += term.seconds;
    }
    CHECK(sum == doctest::Approx(all.step()).epsilon(1e-14));
  }
}

TEST_CASE("a step grows with every duration that it is made of") {
  const LoweredStep all(small_recipe(kAlltoall, kOverlap), "h100", 16);
  const Constants& base = constants().values;
  const double step = all.step({}, base);
  for (const auto member : {&Constants::gemm_hopper,
                            &Constants::grouped_gemm,
                            &Constants::attention,
                            &Constants::memory_kernels,
                            &Constants::alltoall_nic,
                            &Constants::kernel_launch,
                            &Constants::host_x86,
                            &Constants::overlap_exchange,
                            &Constants::overlap_sms,
                            &Constants::overlap_loss,
                            &Constants::step_fixed,
                            &Constants::optimizer,
                            &Constants::imbalance_forced}) {
    Constants more = base;
    more.*member *= 1.1;
    CHECK(all.step({}, more) >= step);
    CHECK(all.step({}, more) <= 1.1 * step * (1 + 1e-12));
  }
}

TEST_CASE("leaving an effect out never lengthens a step without overlap") {
  const LoweredStep all(small_recipe(kAlltoall), "h100", 16);
  const double step = all.step();
  for (const auto effect : {&Effects::dispatch,
                            &Effects::combine,
                            &Effects::contention,
                            &Effects::host_launches,
                            &Effects::host_stalls,
                            &Effects::imbalance,
                            &Effects::bubble,
                            &Effects::data_parallel,
                            &Effects::optimizer}) {
    Effects effects;
    effects.*effect = false;
    CHECK(all.step(effects) <= step);
  }
}

TEST_CASE("overlap hides nothing where nothing is exchanged") {
  const std::string alone =
      "  expert_model_parallel_size: 1\n  moe_token_dispatcher_type: alltoall\n";
  Effects effects;
  effects.contention = effects.host_launches = effects.host_stalls = false;
  effects.dispatch = effects.combine = false;
  const LoweredStep off(small_recipe(alone), "h100", 16);
  const LoweredStep on(small_recipe(alone, kOverlap), "h100", 16);
  const double gain = off.step(effects) / on.step(effects);
  CHECK(gain >= 1);
  CHECK(gain < 1.2);  // permutations beside the exchange still hide
}

TEST_CASE("what a recipe states about launches, rows and replicas moves its step") {
  struct Change {
    std::string without;  // lines of the model
    std::string with;     // … that cost more
  };

  const std::string flex =
      "  expert_model_parallel_size: 32\n  moe_token_dispatcher_type: flex\n"
      "  moe_flex_dispatcher_backend: deepep\n";
  const std::vector<Change> cases = {
      {kAlltoall + "  moe_router_fusion: true\n", kAlltoall},
      {kAlltoall + "  moe_expert_capacity_factor: 1.0\n  moe_pad_expert_input_to_capacity: true\n",
       kAlltoall + "  moe_expert_capacity_factor: 2.0\n  moe_pad_expert_input_to_capacity: true\n"},
      {flex + "  moe_router_num_groups: 4\n  moe_router_group_topk: 1\n", flex}};
  for (const Change& each : cases) {
    CAPTURE(each.with);
    const double less = LoweredStep(small_recipe(each.without), "h100", 32).step();
    const double more = LoweredStep(small_recipe(each.with), "h100", 32).step();
    CHECK(more > less);
    CHECK(more < 2.5 * less);
  }
}

TEST_CASE("replicas without overlap or shards of the optimizer take longer") {
  const auto step = [](const std::string& ddp) {
    std::string text = small_recipe(kAlltoall);
    const std::string shipped = "ddp: {use_distributed_optimizer: true}";
    text.replace(text.find(shipped), shipped.size(), ddp);
    return LoweredStep(text, "h100", 16).step();
  };
  const double best = step(
      "ddp: {use_distributed_optimizer: true, overlap_grad_reduce: true, overlap_param_gather: "
      "true}");
  CHECK(step("ddp: {use_distributed_optimizer: true, overlap_grad_reduce: false, "
             "overlap_param_gather: false}") > best);
  CHECK(step("ddp: {use_distributed_optimizer: false}") > best);
}

TEST_CASE("a full-iteration graph takes the host out, and never slows a step down") {
  const std::string flex =
      "  expert_model_parallel_size: 16\n  moe_token_dispatcher_type: flex\n"
      "  moe_flex_dispatcher_backend: hybridep\n";
  const std::string graph = "  cuda_graph_impl: local\n  cuda_graph_scope: full_iteration\n";
  const std::string partial =
      "  cuda_graph_impl: transformer_engine\n"
      "  cuda_graph_scope: [attn, moe_router, moe_preprocess]\n";
  const LoweredStep whole(small_recipe(flex + graph), "gb200", 16);
  Effects without;
  without.host_launches = without.host_stalls = false;
  CHECK(whole.step() == whole.step(without));
  CHECK(whole.step() <= LoweredStep(small_recipe(flex + partial), "gb200", 16).step());
}

TEST_CASE("where the host decides, overlap gains nothing") {
  const std::string small =
      "  expert_model_parallel_size: 4\n  moe_token_dispatcher_type: alltoall\n";
  Constants slow = constants().values;
  slow.host_x86 *= 20;
  const double off = LoweredStep(small_recipe(small), "h100", 16).step({}, slow);
  const double on = LoweredStep(small_recipe(small, kOverlap), "h100", 16).step({}, slow);
  CHECK(off / on < 1.03);
}

TEST_CASE("layers scale with their nodes") {
  LayerTimes times;
  times.a_forward = 1;
  times.m_forward = 2;
  times.d_forward = times.c_forward = times.d_backward = times.c_backward = 0.5;
  times.a_data = times.m_data = 1;
  times.a_weights = times.m_weights = 0.7;
  times.host_a_forward = times.host_a_backward = 0.3;
  const Direction alone = unpaired_layer(times, 1);
  CHECK(alone.forward == doctest::Approx(4));
  CHECK(alone.backward >= 4.4);
  const double pair = paired_layer(times, {});
  CHECK(pair >= times.compute() - 1e-12);
  CHECK(pair <= times.compute() + times.exchange());
}

TEST_CASE("an interval holds its value, and what is unknown widens it") {
  const auto machine_and_step = [](const std::string& text) {
    const workload::Workload job = LoweredStep(text, "h100", 16).job;
    return predict(job, test::machine_for("h100", job), constants().values);
  };
  const Prediction plain = machine_and_step(small_recipe(kAlltoall));
  CHECK(plain.step_time.low < plain.step_time.value);
  CHECK(plain.step_time.value < plain.step_time.high);
  CHECK(plain.tokens_per_second.value * plain.step_time.value ==
        doctest::Approx(256.0 * 4096 / 16));
  const Prediction hidden = machine_and_step(small_recipe(kAlltoall, kOverlap));
  CHECK(hidden.uncertainty.half_width() > plain.uncertainty.half_width());
}

TEST_CASE("a machine without laws says which there are") {
  const auto machine =
      machine_of(*hw::find_profile("l40s"), workload::Machine{}, test::laws(), constants());
  CHECK(machine.problem.find("no cost laws for l40s") == 0);
  CHECK(machine.problem.find("h100") != std::string::npos);
}

}  // namespace
}  // namespace epwise::sim
