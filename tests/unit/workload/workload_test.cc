#include "perf/workload/workload.h"

#include <map>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "support/workloads.h"

namespace {

using epwise::recipe::Framework;
using epwise::test::workload_of;
using epwise::workload::Balance;
using epwise::workload::Dispatcher;
using epwise::workload::FeedForward;
using epwise::workload::InputStatus;
using epwise::workload::Mixer;
using epwise::workload::Precision;

constexpr std::string_view kBridge = R"(model:
  num_layers: 6
  hidden_size: 512
  num_attention_heads: 8
  num_query_groups: 2
  kv_channels: 64
  num_moe_experts: 16
  moe_router_topk: 4
  moe_ffn_hidden_size: 256
  ffn_hidden_size: 1024
  moe_layer_freq: [0, 1, 1, 1, 1, 1]
  gated_linear_unit: true
  vocab_size: 1000
  seq_length: 2048
  tensor_model_parallel_size: 2
  sequence_parallel: true
  pipeline_model_parallel_size: 2
  virtual_pipeline_model_parallel_size: 3
  expert_model_parallel_size: 4
  expert_tensor_parallel_size: 1
  moe_token_dispatcher_type: flex
  moe_flex_dispatcher_backend: hybridep
  moe_hybridep_num_sms: 24
  moe_router_force_load_balancing: true
  cuda_graph_impl: transformer_engine
  cuda_graph_scope: [attn, moe_router]
  recompute_granularity: selective
  recompute_modules: [moe_act, layernorm]
mixed_precision: bf16_with_mxfp8_mixed
train: {global_batch_size: 64, micro_batch_size: 2}
ddp: {use_distributed_optimizer: true}
comm_overlap: {overlap_moe_expert_parallel_comm: true, delay_wgrad_compute: true}
)";

constexpr std::string_view kMegatron = R"(MODEL_ARGS:
  --num-layers: 4
  --hidden-size: 512
  --ffn-hidden-size: 1024
  --num-attention-heads: 8
  --seq-length: 2048
  --max-position-embeddings: 2048
  --micro-batch-size: 1
  --global-batch-size: 32
  --num-experts: 8
  --moe-router-topk: 2
  --swiglu: true
  --vocab-size: 1000
  --bf16: true
  --expert-model-parallel-size: 2
  --untie-embeddings-and-output-weights: true
  --use-distributed-optimizer: true
)";

}  // namespace

TEST_CASE("a Bridge recipe, with what the launch makes of its preset") {
  const auto reading = workload_of(kBridge, "h100", 16);
  REQUIRE(reading.problems.empty());
  const auto& workload = reading.workload;
  CHECK(workload.parallel.data == 4);
  CHECK(workload.parallel.expert_data == 2);
  CHECK(workload.parallel.virtual_stages == 3);
  CHECK(workload.parallel.chunks.size() == 6);
  CHECK(workload.batch.microbatches == 8);
  CHECK(workload.precision == Precision::mxfp8);
  CHECK(workload.exchange.dispatcher == Dispatcher::hybridep);
  CHECK(workload.exchange.sms == 24);
  CHECK(workload.exchange.overlap);
  CHECK(workload.exchange.delayed_wgrad);
  CHECK(workload.routing.balance == Balance::forced);
  CHECK(workload.graphs.attention);
  CHECK(workload.graphs.router);
  CHECK_FALSE(workload.graphs.preprocess);
  CHECK(workload.recompute.expert_activation);
  CHECK(workload.recompute.norms);
  CHECK_FALSE(workload.recompute.experts);
  CHECK(workload.optimizer.distributed);
  CHECK(workload.optimizer.gradient == 4);
  CHECK(workload.architecture.layers.size() == 6);
  CHECK(workload.architecture.layers[0].feed_forward == FeedForward::dense);
  CHECK(workload.architecture.layers[1].feed_forward == FeedForward::experts);
  CHECK(workload.architecture.layers[1].mixer == Mixer::attention);
  CHECK(workload.architecture.padded_vocab == 1024);
  CHECK(workload.group_tokens() == 4096);
  CHECK(workload.tokens() == 2048);
  CHECK(workload.machine.nvlink_domain == 8);
  REQUIRE(workload.input("routing") != nullptr);
  CHECK(workload.input("routing")->status == InputStatus::written);
  CHECK(workload.input("optimizer_states")->status == InputStatus::assumed);
  CHECK(workload.input("cpu")->value == "x86");
}

TEST_CASE("Megatron-LM arguments mean the same") {
  const auto reading = workload_of(kMegatron, "gb200", 8, Framework::mlm);
  for (const auto& problem : reading.problems) {
    MESSAGE(problem.message);
  }
  REQUIRE(reading.problems.empty());
  const auto& workload = reading.workload;
  CHECK(workload.architecture.attention.groups == 8);
  CHECK(workload.architecture.attention.head_dim == 64);
  CHECK(workload.architecture.experts.ffn == 1024);
  CHECK(workload.architecture.gated);
  CHECK_FALSE(workload.architecture.tied_embeddings);
  CHECK(workload.batch.microbatches == 4);
  CHECK(workload.exchange.dispatcher == Dispatcher::allgather);
  CHECK(workload.optimizer.gradient == 4);  // bf16 adds gradients up in fp32
  CHECK(workload.routing.balance == Balance::natural);
  CHECK(workload.input("routing")->status == InputStatus::assumed);
  CHECK(workload.machine.nvlink_domain == 64);
  CHECK(workload.input("nvlink_domain") != nullptr);
}

TEST_CASE("what has neither value nor default is listed by its name, all of it at once") {
  const auto reading = workload_of("model:\n  hidden_size: 512\n", "h100", 8);
  std::string all;
  for (const auto& problem : reading.problems) {
    all += problem.message + "\n";
  }
  CHECK(all.find("model.num_layers") != std::string::npos);
  CHECK(all.find("model.vocab_size") != std::string::npos);
  CHECK(all.find("train.global_batch_size") != std::string::npos);
}

TEST_CASE("the stack says which kernels there are, where it is told") {
  const std::string sinks = "  softmax_type: learnable\n";
  const auto at = kBridge.find("  recompute_granularity");
  const std::string text =
      std::string(kBridge.substr(0, at)) + sinks + std::string(kBridge.substr(at));
  const auto with = [&](const std::map<std::string, std::string>& stack) {
    return workload_of(text, "gb200", 16, Framework::bridge, stack).workload;
  };
  const auto untold = with({});
  REQUIRE(untold.input("attention_path") != nullptr);
  CHECK(untold.input("attention_path")->status == InputStatus::assumed);
  CHECK_FALSE(untold.kernels.fused_softmax);
  const auto recent = with({{"cudnn", "9.14.0"}});
  CHECK_FALSE(recent.kernels.fused_softmax);  // possible, and not what published runs show
  CHECK(recent.input("attention_path")->status == InputStatus::assumed);
  const auto old = with({{"cudnn", "9.10.2"}, {"te", "2.8.0"}});
  CHECK_FALSE(old.kernels.fused_softmax);
  CHECK(old.input("attention_path")->status == InputStatus::written);
  CHECK(old.input("fused_experts")->status == InputStatus::written);
  CHECK(old.input("fused_experts")->value == "off");
}

TEST_CASE("who the machine's inputs are from") {
  const auto job = workload_of(kBridge, "h100", 16).workload;
  CHECK(job.input("cpu")->status == InputStatus::profile);
  CHECK(job.input("cpu")->why == "h100: x86-64");
  CHECK(job.input("nvlink_domain")->status == InputStatus::profile);
  CHECK(job.input("nic_rate")->status == InputStatus::assumed);
  const auto rack = workload_of(kBridge, "gb200", 16).workload;
  CHECK(rack.input("cpu")->value == "grace");
  CHECK(rack.input("nvlink_domain")->status == InputStatus::assumed);
}

TEST_CASE("states of an optimizer by its kind and dtypes") {
  const auto states = [](std::string_view section) {
    const auto reading = workload_of(std::string(kBridge) + std::string(section), "h100", 16);
    REQUIRE(reading.problems.empty());
    return reading.workload.optimizer;
  };
  CHECK(states("").moments == 8);
  CHECK(states("optimizer: {optimizer: adam}\n").main_weight == 4);
  CHECK(states("optimizer: {optimizer: dist_muon}\n").moments == 4);
  const auto aware = states(
      "optimizer: {use_precision_aware_optimizer: true, exp_avg_dtype: torch.bfloat16, "
      "exp_avg_sq_dtype: torch.bfloat16}\n");
  CHECK(aware.moments == 4);
  CHECK(aware.main_weight == 4);
  CHECK(states("optimizer: {optimizer_cpu_offload: true, optimizer_offload_fraction: 0.5}\n")
            .host_fraction == 0.5);
}

TEST_CASE("a value that can't be read is no reason to take a default") {
  std::string text(kMegatron);
  text.replace(
      text.find("--expert-model-parallel-size: 2"), 31, "--expert-model-parallel-size: ${EP}");
  const auto unbound = workload_of(text, "h100", 16, Framework::mlm);
  REQUIRE_FALSE(unbound.problems.empty());
  CHECK(unbound.problems[0].message ==
        "${EP} is not set, and --expert-model-parallel-size depends on it");
  text = kBridge;
  text.replace(text.find("tensor_model_parallel_size: 2"), 29, "tensor_model_parallel_size: two");
  const auto unfit = workload_of(text, "h100", 16);
  REQUIRE_FALSE(unfit.problems.empty());
  CHECK(unfit.problems[0].message ==
        "model.tensor_model_parallel_size is two, but a number is needed");
}

TEST_CASE("a known tokenizer tells the vocabulary, and that it was assumed") {
  std::string text(kMegatron);
  text.replace(text.find("--vocab-size: 1000"), 18, "--tokenizer-model: deepseek-ai/DeepSeek-V3");
  const auto reading = workload_of(text, "h100", 8, Framework::mlm);
  REQUIRE(reading.problems.empty());
  CHECK(reading.workload.architecture.vocab == 129280);
  REQUIRE(reading.workload.input("vocabulary") != nullptr);
  CHECK(reading.workload.input("vocabulary")->status == InputStatus::assumed);
}

TEST_CASE("sizes that no job has are refused, and no time is spent on them") {
  for (const auto* line : {"num_layers: 6", "pipeline_model_parallel_size: 2"}) {
    std::string text(kBridge);
    const std::string name(line);
    text.replace(text.find(name), name.size(), name.substr(0, name.find(':')) + ": 90000000");
    CHECK_FALSE(workload_of(text, "h100", 16).problems.empty());
  }
}

TEST_CASE("GPUs that don't divide are counted as they can be, and noted") {
  const auto reading = workload_of(kBridge, "h100", 18);
  REQUIRE(reading.problems.empty());
  CHECK(reading.workload.parallel.data == 4);
  REQUIRE(reading.workload.input("data_parallel") != nullptr);
  CHECK(reading.workload.input("data_parallel")->status == InputStatus::assumed);
}

TEST_CASE("a hybrid pattern gives one layer a letter") {
  std::string text(kBridge);
  text.replace(text.find("  num_layers: 6\n"),
               16,
               "  num_layers: 6\n  hybrid_layer_pattern: ME*E-E/*E\n"
               "  mtp_num_layers: 1\n  mamba_num_heads: 16\n  mamba_head_dim: 64\n"
               "  mamba_state_dim: 128\n  mamba_num_groups: 8\n");
  const auto reading = workload_of(text, "h100", 16);
  REQUIRE(reading.problems.empty());
  const auto& layers = reading.workload.architecture.layers;
  REQUIRE(layers.size() == 6);
  CHECK(layers[0].mixer == Mixer::mamba);
  CHECK(layers[0].feed_forward == FeedForward::none);
  CHECK(layers[3].feed_forward == FeedForward::experts);
  CHECK(layers[4].feed_forward == FeedForward::dense);
  CHECK(reading.workload.architecture.prediction.size() == 2);
  CHECK(reading.workload.architecture.mamba.heads == 16);
}
