#include "perf/workload/memory.h"

#include <map>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "support/workloads.h"

namespace {

using epwise::test::workload_of;
using epwise::workload::estimate_memory;
using epwise::workload::FeedForward;
using epwise::workload::layer_activations;
using epwise::workload::MemoryEstimate;
using epwise::workload::Mixer;
using epwise::workload::out_of_memory;
using epwise::workload::state_bytes;
using epwise::workload::Workload;

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

constexpr std::string_view kQwen = R"(model:
  num_layers: 48
  hidden_size: 2048
  num_attention_heads: 32
  num_query_groups: 4
  kv_channels: 128
  num_moe_experts: 128
  moe_router_topk: 8
  moe_ffn_hidden_size: 768
  ffn_hidden_size: 6144
  gated_linear_unit: true
  vocab_size: 151936
  seq_length: 4096
  bf16: true
  expert_model_parallel_size: 16
  expert_tensor_parallel_size: 1
  moe_token_dispatcher_type: alltoall
  moe_router_force_load_balancing: true
mixed_precision: bf16_mixed
train: {global_batch_size: 1024, micro_batch_size: 1}
ddp: {use_distributed_optimizer: true}
)";

/// DeepSeek-V3 with four layers, the first dense.
constexpr std::string_view kDeepSeek = R"(model:
  num_layers: 4
  hidden_size: 7168
  num_attention_heads: 128
  num_moe_experts: 256
  moe_router_topk: 8
  moe_ffn_hidden_size: 2048
  ffn_hidden_size: 18432
  moe_shared_expert_intermediate_size: 2048
  moe_layer_freq: [0, 1, 1, 1]
  gated_linear_unit: true
  multi_latent_attention: true
  q_lora_rank: 1536
  kv_lora_rank: 512
  qk_head_dim: 128
  qk_pos_emb_head_dim: 64
  v_head_dim: 128
  vocab_size: 129280
  seq_length: 4096
  bf16: true
  expert_model_parallel_size: 8
  expert_tensor_parallel_size: 1
  moe_token_dispatcher_type: alltoall
  moe_router_force_load_balancing: true
  cross_entropy_loss_fusion: true
  cross_entropy_fusion_impl: native
mixed_precision: bf16_mixed
train: {global_batch_size: 32, micro_batch_size: 1}
ddp: {use_distributed_optimizer: true}
)";

std::string with(std::string_view text, std::string_view what, std::string_view instead) {
  std::string result(text);
  const auto at = result.find(what);
  REQUIRE(at != std::string::npos);
  result.replace(at, what.size(), instead);
  return result;
}

Workload read(std::string_view text, std::string_view hw, int gpus) {
  const auto reading = workload_of(text, hw, gpus);
  REQUIRE(reading.problems.empty());
  return reading.workload;
}

double gib(const MemoryEstimate& estimate) {
  return estimate.allocated / kGiB;
}

}  // namespace

TEST_CASE("states are those of the reference") {
  CHECK(state_bytes(read(kQwen, "h100", 16), 0).total() / kGiB ==
        doctest::Approx(40.063).epsilon(1e-4));
  CHECK(state_bytes(read(kDeepSeek, "b200", 8), 0).total() / kGiB ==
        doctest::Approx(92.7786).epsilon(1e-4));
}

TEST_CASE("saved activations of a layer") {
  const auto qwen = read(kQwen, "h100", 16);
  CHECK(layer_activations(qwen, {Mixer::attention, FeedForward::experts}).saved / kGiB ==
        doctest::Approx(0.4406).epsilon(0.001));
  const auto deep = read(kDeepSeek, "b200", 8);
  CHECK(layer_activations(deep, {Mixer::latent, FeedForward::experts}).saved / kGiB ==
        doctest::Approx(1.7496).epsilon(0.001));
}

TEST_CASE("published peaks of allocated memory") {
  SUBCASE("DeepSeek-V3, four layers on eight B200: 104.3 GiB, and 114.0 in two stages with EP 4") {
    CHECK(gib(estimate_memory(read(kDeepSeek, "b200", 8))) ==
          doctest::Approx(104.3).epsilon(0.015));
    const auto two = with(kDeepSeek,
                          "  expert_model_parallel_size: 8\n",
                          "  expert_model_parallel_size: 4\n  pipeline_model_parallel_size: 2\n");
    const auto estimate = estimate_memory(read(two, "b200", 8));
    CHECK(estimate.fullest == 1);
    CHECK(gib(estimate) == doctest::Approx(114.0).epsilon(0.015));
  }
  SUBCASE("Qwen3-30B on 16 H100, gradients in BF16 as its recipe has them: 61.351e9 bytes") {
    const auto text = with(kQwen,
                           "mixed_precision: bf16_mixed",
                           "mixed_precision: {bf16: true, grad_reduce_in_fp32: false}");
    const auto workload = read(text, "h100", 16);
    CHECK(workload.optimizer.gradient == 2);
    CHECK(estimate_memory(workload).allocated == doctest::Approx(61.351e9).epsilon(0.02));
  }
}

TEST_CASE("what is recomputed or offloaded is not kept") {
  const auto whole = read(kDeepSeek, "b200", 8);
  const double before = gib(estimate_memory(whole));
  auto less = whole;
  less.recompute.expert_activation = true;
  const double without_activation = gib(estimate_memory(less));
  CHECK(without_activation < before);
  less.recompute.experts = true;
  const double without_experts = gib(estimate_memory(less));
  CHECK(without_experts < without_activation);
  less = whole;
  less.recompute.full = true;
  CHECK(gib(estimate_memory(less)) < without_experts);
  less = whole;
  less.offload.expert_input = true;
  CHECK(gib(estimate_memory(less)) < before);
}

TEST_CASE("optimizer dtypes, offload and sharding act on the states alone") {
  const auto whole = read(kDeepSeek, "b200", 8);
  const double before = state_bytes(whole, 0).total();
  auto less = whole;
  less.optimizer.moments = 4;
  const double halved = state_bytes(less, 0).optimizer;
  CHECK(halved == doctest::Approx(state_bytes(whole, 0).optimizer * 8 / 12));
  less.optimizer.host_fraction = 0.5;
  CHECK(state_bytes(less, 0).optimizer == doctest::Approx(halved / 2));
  less.optimizer.host_fraction = 1;
  CHECK(state_bytes(less, 0).optimizer == 0);
  less = whole;
  less.optimizer.distributed = false;
  CHECK(state_bytes(less, 0).total() > before);
  less = whole;
  less.parallel.expert_data = 4;
  less.sharding = epwise::workload::Sharding::weights;
  CHECK(state_bytes(less, 0).total() < before / 3);
  CHECK(estimate_memory(less).stages[0].activations ==
        doctest::Approx(estimate_memory(whole).stages[0].activations));
}

TEST_CASE("twice the sequences keep twice the activations, and the same states") {
  const auto one = read(kQwen, "h100", 16);
  auto two = one;
  two.batch.micro = 2;
  const auto small = estimate_memory(one).stages[0];
  const auto large = estimate_memory(two).stages[0];
  CHECK(large.activations == doctest::Approx(2 * small.activations));
  CHECK(large.loss == doctest::Approx(2 * small.loss));
  CHECK(large.weights == small.weights);
  CHECK(large.optimizer == small.optimizer);
}

TEST_CASE("low precision keeps the inputs of its products in fewer bytes") {
  auto workload = read(kQwen, "h100", 16);
  const double bf16 = estimate_memory(workload).stages[0].activations;
  workload.precision = epwise::workload::Precision::mxfp8;
  const double fp8 = estimate_memory(workload).stages[0].activations;
  workload.precision = epwise::workload::Precision::nvfp4;
  CHECK(fp8 < bf16);
  CHECK(estimate_memory(workload).stages[0].activations < fp8);
}

TEST_CASE("the chance of running out grows with what is needed") {
  MemoryEstimate estimate;
  estimate.needed = 70 * kGiB;
  estimate.deviation = 0.05;
  CHECK(out_of_memory(estimate, 80 * kGiB) == doctest::Approx(0.0021).epsilon(0.05));
  estimate.needed = 80 * kGiB;
  CHECK(out_of_memory(estimate, 80 * kGiB) == doctest::Approx(0.5));
  estimate.needed = 100 * kGiB;
  CHECK(out_of_memory(estimate, 80 * kGiB) > 0.999);
  estimate.deviation = 0;
  CHECK(out_of_memory(estimate, 80 * kGiB) == 1);
}

TEST_CASE("a dispatcher's own buffers") {
  auto workload = read(kDeepSeek, "gb200", 64);
  CHECK(epwise::workload::dispatch_buffer_bytes(workload) == 0);
  workload.parallel.expert = 64;
  workload.exchange.dispatcher = epwise::workload::Dispatcher::hybridep;
  const double one_domain = 4096.0 * 64 * (2 * 7168 + 4 * 4 * 64 + 4 * 56);
  CHECK(epwise::workload::dispatch_buffer_bytes(workload) == doctest::Approx(one_domain));
  workload.exchange.nvlink_ranks = 32;
  const double pair = 4096.0 * 64 * (2 * 7168 + 4 * 4 * 32 + 4 * 56) +
                      4096.0 * (2 * 7168 + 4 * 256 + 4 * 56) +
                      4096.0 * (3 * (2 * 7168 + 4 * 4 * 32) + 4 * 56);
  CHECK(epwise::workload::dispatch_buffer_bytes(workload) == doctest::Approx(pair));
}

TEST_CASE("DeepEP's buffers grow with its SMs, the network's in NVSHMEM's heap") {
  auto workload = read(kDeepSeek, "h100", 8);
  workload.exchange.dispatcher = epwise::workload::Dispatcher::deepep;
  workload.exchange.sms = 20;
  const double token = 2 * 7168 + 2056;
  constexpr double kWorkspace = kGiB / 32;
  CHECK(epwise::workload::dispatch_buffer_bytes(workload) ==
        doctest::Approx(10 * 8 * 256 * token + kWorkspace));
  workload.parallel.expert = 64;
  const double inside = 10 * 8 * 288 * token + kWorkspace;
  CHECK(epwise::workload::dispatch_buffer_bytes(workload) == doctest::Approx(inside + kGiB / 2));
  workload.exchange.sms = 40;
  CHECK(epwise::workload::dispatch_buffer_bytes(workload) ==
        doctest::Approx(2 * inside - kWorkspace + kGiB));
  workload.exchange.static_heap = 3 * kGiB;
  CHECK(epwise::workload::dispatch_buffer_bytes(workload) ==
        doctest::Approx(2 * inside - kWorkspace + 3 * kGiB));
  const auto of_environment =
      workload_of(kDeepSeek,
                  "h100",
                  8,
                  epwise::recipe::Framework::bridge,
                  {},
                  {{"NVSHMEM_DISABLE_CUDA_VMM", "1"}, {"NVSHMEM_SYMMETRIC_SIZE", "1.5G"}});
  CHECK(of_environment.workload.exchange.static_heap == doctest::Approx(1.5 * kGiB));
  CHECK(read(kDeepSeek, "h100", 8).exchange.static_heap == 0);
}

TEST_CASE("attention without a fused kernel keeps a matrix of scores for each head") {
  const auto kept = [](std::string_view settings, std::string_view hw = "h100") {
    const auto workload =
        read(with(kQwen, "  bf16: true\n", "  bf16: true\n" + std::string(settings)), hw, 16);
    return workload.kernels.scores;
  };
  CHECK(kept("").kept == 0);
  CHECK(kept("  attention_backend: flash\n").kept == 0);
  CHECK(kept("  attention_backend: unfused\n").kept == 2);
  CHECK(kept("  attention_backend: unfused\n").transient == 2);
  CHECK(kept("  attention_backend: unfused\n  attention_dropout: 0.1\n").kept == 5);
  CHECK(kept("  transformer_impl: local\n  attention_softmax_in_fp32: false\n").kept == 2);
  CHECK(kept("  transformer_impl: local\n  masked_softmax_fusion: false\n"
             "  attention_softmax_in_fp32: true\n")
            .kept == 6);
  // Types that a library recipe decides on count as 16 bits, written ones as they are.
  const auto open = with(with(kQwen, "  bf16: true\n", ""), "mixed_precision: bf16_mixed\n", "");
  CHECK(read(open, "h100", 16).kernels.scores.kept == 0);
  const auto wide = with(with(kQwen, "  bf16: true\n", "  bf16: false\n"),
                         "mixed_precision: bf16_mixed",
                         "mixed_precision: {bf16: false, fp16: false}");
  CHECK(read(wide, "h100", 16).kernels.scores.kept == 4);
  // Transformer Engine's kernel takes fewer than 16384 keys.
  const auto text = with(with(kQwen, "seq_length: 4096", "seq_length: 16384"),
                         "  bf16: true\n",
                         "  bf16: true\n  attention_backend: unfused\n");
  CHECK(read(text, "h100", 16).kernels.scores.kept == 6);
  CHECK(read(text, "h100", 16).kernels.scores.transient == 8);
}

TEST_CASE("scores grow with the square of the sequence, unless core attention is recomputed") {
  const auto fused = read(kQwen, "h100", 16);
  auto unfused = fused;
  unfused.kernels.scores = {2, 2};
  const epwise::workload::Layer layer{Mixer::attention, FeedForward::experts};
  const double scores = 2.0 * 4096 * 4096 * 32;
  const double expanded = 2 * 2.0 * 4096 * 32 * 128;
  const double before = layer_activations(fused, layer).saved;
  CHECK(layer_activations(unfused, layer).saved == doctest::Approx(before + scores + expanded));
  CHECK(gib(estimate_memory(unfused)) > gib(estimate_memory(fused)) + 48 * scores / kGiB);
  unfused.recompute.core_attention = true;
  CHECK(layer_activations(unfused, layer).saved == doctest::Approx(before));
  CHECK(layer_activations(unfused, layer).recomputed == doctest::Approx(scores + expanded));
}

TEST_CASE(
    "two switches of Transformer Engine leave its unfused attention, latent heads on Ampere too") {
  const auto of = [](std::string_view hw,
                     const std::map<std::string, std::string>& stack,
                     const std::map<std::string, std::string>& environment) {
    return workload_of(kDeepSeek, hw, 8, epwise::recipe::Framework::bridge, stack, environment)
        .workload.kernels.scores.kept;
  };
  CHECK(of("b200", {}, {}) == 0);
  CHECK(of("b200", {}, {{"NVTE_FLASH_ATTN", "0"}}) == 0);
  CHECK(of("b200", {}, {{"NVTE_FLASH_ATTN", "0"}, {"NVTE_FUSED_ATTN", "0"}}) == 2);
  CHECK(of("a100", {{"te", "2.9.0"}}, {}) == 2);
  CHECK(of("a100", {{"te", "2.17.0"}}, {}) == 0);
  CHECK(of("h100", {{"te", "2.9.0"}}, {}) == 0);
}

TEST_CASE("recomputed experts hold their inputs until the next forward pass") {
  auto workload = read(kQwen, "h100", 16);
  workload.kernels.fused_loss = true;
  workload.recompute.full = true;
  const double input = epwise::workload::checkpoint_bytes(workload);
  workload.recompute.inputs_stay = false;
  const auto freed = estimate_memory(workload).stages[0];
  workload.recompute.inputs_stay = true;
  const auto held = estimate_memory(workload).stages[0];
  CHECK(held.transient >= freed.transient);
  CHECK(held.transient <= freed.transient + 48 * input);
  CHECK(held.activations == doctest::Approx(freed.activations));
  workload.recompute.interval = 4;
  CHECK(estimate_memory(workload).stages[0].transient >= freed.transient);
  auto verl = workload;
  verl.recompute.full = false;
  verl.recompute.inputs_stay = false;
  const double without = estimate_memory(verl).stages[0].transient;
  verl.recompute.inputs_stay = true;  // nothing is recomputed
  CHECK(estimate_memory(verl).stages[0].transient == doctest::Approx(without));
}

TEST_CASE("an encoder of images keeps its layers where it is trained") {
  auto workload = read(kQwen, "h100", 16);
  const auto without = estimate_memory(workload).stages[0];
  workload.architecture.vision = epwise::test::vision_encoder();
  workload.architecture.vision.images = 1;
  workload.architecture.vision.patches = 4096;
  const auto trained = estimate_memory(workload).stages[0];
  CHECK(trained.activations > without.activations + 27 * 2.0 * 4096 * 1152 * 2);
  CHECK(trained.weights > without.weights);
  CHECK(trained.optimizer > without.optimizer);
  workload.architecture.vision.frozen = true;
  const auto frozen = estimate_memory(workload).stages[0];
  CHECK(frozen.weights == trained.weights);
  CHECK(frozen.optimizer < trained.optimizer);
  CHECK(frozen.activations < trained.activations);
  CHECK(frozen.activations > without.activations);  // of the projection
  workload.architecture.vision.projection_frozen = true;
  const auto still = estimate_memory(workload).stages[0];
  CHECK(still.activations == doctest::Approx(without.activations));
  CHECK(still.optimizer == doctest::Approx(without.optimizer));
}

TEST_CASE("static buffers keep all of their rows, a paged stash those of its pages") {
  auto workload = read(kQwen, "h100", 16);
  const epwise::workload::Layer layer{Mixer::attention, FeedForward::experts};
  workload.routing.balance = epwise::workload::Balance::forced;
  const double balanced = layer_activations(workload, layer).saved;
  workload.routing.rank_capacity = 1.5;
  const double padded = layer_activations(workload, layer).saved;
  workload.routing.stash = 1.1;
  const auto paged = layer_activations(workload, layer);
  CHECK(padded > paged.saved);
  CHECK(paged.saved > balanced);
  CHECK((padded - balanced) / (paged.saved - balanced) == doctest::Approx(5));
  CHECK(paged.recomputed >= 1.5 * epwise::workload::stashed_bytes(workload));
}

TEST_CASE("quantised weights lie next to those in BF16, in the layouts that products take") {
  const auto weight = [](std::string_view recipe, std::string_view hw) {
    return read(with(kQwen,
                     "mixed_precision: bf16_mixed",
                     "mixed_precision: {bf16: true, fp8: e4m3, fp8_recipe: " + std::string(recipe) +
                         "}"),
                hw,
                16)
        .optimizer.weight;
  };
  CHECK(weight("tensorwise", "h100") == 4);
  CHECK(weight("tensorwise", "b200") == 3);
  CHECK(weight("tensorwise", "rtx6000") == 4);
  CHECK(weight("delayed", "h100") == 4);
  CHECK(weight("blockwise", "h100") == doctest::Approx(4).epsilon(0.001));
  CHECK(weight("mxfp8", "b200") == doctest::Approx(4.0625));
}
