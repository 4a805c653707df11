// Layers and bodies of steps against the Python model that this one was made from, with its
// constants (reference_constants.yaml): the forms are the same, whatever the shipped constants
// become.

#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "perf/cost/compiled_table.h"
#include "perf/sim/step/step.h"
#include "support/workloads.h"

namespace epwise::sim {
namespace {

struct Case {
  std::string name;
  std::string hw;
  int gpus = 0;
  std::string recipe;
  double forward = 0;   // s, of one expert layer
  double backward = 0;  // s
  double both = 0;      // s
  double body = 0;      // s, of all micro-batches
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"all-to-all across nodes",
       "h100",
       16,
       R"(model: {num_layers: 24, hidden_size: 2048, num_attention_heads: 32, num_query_groups: 4, kv_channels: 128,
  num_moe_experts: 64, moe_router_topk: 6, moe_ffn_hidden_size: 1024, ffn_hidden_size: 6144,
  vocab_size: 100352, gated_linear_unit: true, moe_grouped_gemm: true, seq_length: 4096, bf16: true,
  expert_model_parallel_size: 16, moe_token_dispatcher_type: alltoall, moe_router_force_load_balancing: true}
mixed_precision: bf16_mixed
train: {global_batch_size: 256, micro_batch_size: 1}
dataset: {sequence_length: 4096}
ddp: {use_distributed_optimizer: true}
)",
       0.005333576244170947,
       0.00609084507297933,
       0.011424421317150277,
       4.52501551595928},
      {"the same, overlapped, weight gradients delayed",
       "h100",
       16,
       R"(model: {num_layers: 24, hidden_size: 2048, num_attention_heads: 32, num_query_groups: 4, kv_channels: 128,
  num_moe_experts: 64, moe_router_topk: 6, moe_ffn_hidden_size: 1024, ffn_hidden_size: 6144,
  vocab_size: 100352, gated_linear_unit: true, moe_grouped_gemm: true, seq_length: 4096, bf16: true,
  expert_model_parallel_size: 16, moe_token_dispatcher_type: alltoall, moe_router_force_load_balancing: true}
mixed_precision: bf16_mixed
train: {global_batch_size: 256, micro_batch_size: 1}
dataset: {sequence_length: 4096}
ddp: {use_distributed_optimizer: true}
comm_overlap: {overlap_moe_expert_parallel_comm: true, delay_wgrad_compute: true}
)",
       0.005442494359983872,
       0.006115138511655914,
       0.010059726001781504,
       4.036922279734274},
      {"latent attention, pipeline, shared and dense layers, prediction, MXFP8, recompute",
       "gb200",
       256,
       R"(model:
  num_layers: 31
  hidden_size: 5120
  num_attention_heads: 64
  num_moe_experts: 160
  moe_router_topk: 8
  moe_ffn_hidden_size: 1536
  ffn_hidden_size: 12288
  vocab_size: 100352
  gated_linear_unit: true
  moe_grouped_gemm: true
  seq_length: 4096
  bf16: true
  expert_model_parallel_size: 32
  moe_token_dispatcher_type: flex
  moe_router_force_load_balancing: true
  moe_flex_dispatcher_backend: hybridep
  multi_latent_attention: true
  q_lora_rank: 1024
  kv_lora_rank: 512
  qk_head_dim: 128
  qk_pos_emb_head_dim: 64
  v_head_dim: 128
  moe_layer_freq: [0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1]
  moe_shared_expert_intermediate_size: 1536
  pipeline_model_parallel_size: 4
  virtual_pipeline_model_parallel_size: 2
  mtp_num_layers: 1
  moe_hybridep_num_sms: 32
  recompute_granularity: selective
  recompute_modules: [mla_up_proj, moe_act]
  cuda_graph_impl: transformer_engine
  cuda_graph_scope: [attn, moe_router, moe_preprocess]
mixed_precision: bf16_with_mxfp8_mixed
train: {global_batch_size: 1024, micro_batch_size: 1}
dataset: {sequence_length: 4096}
ddp: {use_distributed_optimizer: true}
)",
       0.0036853016617957933,
       0.005255169692519118,
       0.008940471354314911,
       1.5490789347321279},
      {"a full-iteration graph with static buffers",
       "gb300",
       64,
       R"(model: {num_layers: 24, hidden_size: 2048, num_attention_heads: 32, num_query_groups: 4, kv_channels: 128,
  num_moe_experts: 64, moe_router_topk: 6, moe_ffn_hidden_size: 1024, ffn_hidden_size: 6144,
  vocab_size: 100352, gated_linear_unit: true, moe_grouped_gemm: true, seq_length: 4096, bf16: true,
  expert_model_parallel_size: 32, moe_token_dispatcher_type: flex, moe_router_force_load_balancing: true,
  moe_flex_dispatcher_backend: hybridep, cuda_graph_impl: local, cuda_graph_scope: full_iteration,
  moe_expert_rank_capacity_factor: 1.5, pipeline_model_parallel_size: 2, virtual_pipeline_model_parallel_size: 4}
mixed_precision: bf16_with_mxfp8_mixed
train: {global_batch_size: 256, micro_batch_size: 1}
dataset: {sequence_length: 4096}
ddp: {use_distributed_optimizer: true}
)",
       0.0013655116649834262,
       0.0015351258388862903,
       0.0029006375038697165,
       0.3149316428604995},
      {"gated delta net, overlap in a pipeline",
       "b200",
       64,
       R"(model: {num_layers: 24, hidden_size: 2048, num_attention_heads: 32, num_query_groups: 4, kv_channels: 128,
  num_moe_experts: 64, moe_router_topk: 6, moe_ffn_hidden_size: 1024, ffn_hidden_size: 6144,
  vocab_size: 100352, gated_linear_unit: true, moe_grouped_gemm: true, seq_length: 4096, bf16: true,
  expert_model_parallel_size: 8, moe_token_dispatcher_type: flex, moe_router_force_load_balancing: true,
  moe_flex_dispatcher_backend: deepep, experimental_attention_variant: gated_delta_net, linear_attention_freq: 4,
  linear_key_head_dim: 128, linear_value_head_dim: 128, linear_num_key_heads: 16, linear_num_value_heads: 32,
  linear_conv_kernel_dim: 4, attention_output_gate: true, pipeline_model_parallel_size: 4, virtual_pipeline_model_parallel_size: 3}
mixed_precision: bf16_mixed
train: {global_batch_size: 256, micro_batch_size: 1}
dataset: {sequence_length: 4096}
ddp: {use_distributed_optimizer: true}
comm_overlap: {overlap_moe_expert_parallel_comm: true}
)",
       0.004962665691821975,
       0.004585884150777987,
       0.009763585344877599,
       1.0650114434328029},
      {"a window, a learnable softmax, natural routing",
       "b300",
       64,
       R"(model:
  num_layers: 24
  hidden_size: 2048
  num_attention_heads: 32
  num_query_groups: 4
  kv_channels: 64
  num_moe_experts: 64
  moe_router_topk: 6
  moe_ffn_hidden_size: 1024
  ffn_hidden_size: 6144
  vocab_size: 100352
  gated_linear_unit: true
  moe_grouped_gemm: true
  seq_length: 4096
  bf16: true
  expert_model_parallel_size: 64
  moe_token_dispatcher_type: alltoall
  window_size: [127, 0]
  window_attn_skip_freq: 2
mixed_precision: bf16_mixed
train: {global_batch_size: 256, micro_batch_size: 1}
dataset: {sequence_length: 4096}
ddp: {use_distributed_optimizer: true}
)",
       0.004540062348329748,
       0.004478555097492727,
       0.009018617445822476,
       0.8822277886060483},
      {"tensor parallelism, dropped tokens, full recompute",
       "h100",
       32,
       R"(model: {num_layers: 24, hidden_size: 2048, num_attention_heads: 32, num_query_groups: 4, kv_channels: 128,
  num_moe_experts: 64, moe_router_topk: 6, moe_ffn_hidden_size: 1024, ffn_hidden_size: 6144,
  vocab_size: 100352, gated_linear_unit: false, moe_grouped_gemm: true, seq_length: 4096, bf16: true,
  expert_model_parallel_size: 8, moe_token_dispatcher_type: alltoall, tensor_model_parallel_size: 2,
  sequence_parallel: true, moe_expert_capacity_factor: 1.0, moe_pad_expert_input_to_capacity: true,
  recompute_granularity: full, recompute_method: uniform, recompute_num_layers: 1, pipeline_model_parallel_size: 2}
mixed_precision: bf16_mixed
train: {global_batch_size: 256, micro_batch_size: 1}
dataset: {sequence_length: 4096}
ddp: {use_distributed_optimizer: true}
)",
       0.004619630433466913,
       0.008888037575424381,
       0.013507668008891294,
       5.498665077652317},
      {"latent experts, FP8, NVFP4 fallback none",
       "gb200",
       32,
       R"(model: {num_layers: 24, hidden_size: 2048, num_attention_heads: 32, num_query_groups: 4, kv_channels: 128,
  num_moe_experts: 64, moe_router_topk: 6, moe_ffn_hidden_size: 1024, ffn_hidden_size: 6144,
  vocab_size: 100352, gated_linear_unit: true, moe_grouped_gemm: true, seq_length: 4096, bf16: true,
  expert_model_parallel_size: 8, moe_token_dispatcher_type: flex, moe_router_force_load_balancing: true,
  moe_flex_dispatcher_backend: deepep, moe_latent_size: 1024}
mixed_precision: bf16_with_fp8_current_scaling_mixed
train: {global_batch_size: 256, micro_batch_size: 1}
dataset: {sequence_length: 4096}
ddp: {use_distributed_optimizer: true}
)",
       0.0031694299300334067,
       0.0029863898959605457,
       0.006155819825993952,
       1.2124931753909487},
  };
  return all;
}

ConstantTable reference_constants() {
  std::ifstream in("tests/unit/sim/reference_constants.yaml", std::ios::binary);
  const text::SourceFile file("reference_constants.yaml",
                              std::string{std::istreambuf_iterator<char>(in), {}});
  std::vector<text::Diagnostic> problems;
  ConstantTable table = read_constants(file, problems);
  REQUIRE(problems.empty());
  return table;
}

double deviation(double value, double wanted) {
  return std::abs(value / wanted - 1);
}

/// The reference counts a kernel for all experts' rows that are quantised, and none for dropping tokens.
void as_the_reference_counts(StepWork& work) {
  const workload::Workload& job = *work.job;
  const double experts = job.architecture.experts.count / job.parallel.expert;
  if (job.precision != workload::Precision::bf16) {
    constexpr double kLinears = 2;
    for (Work* part : {&work.experts.forward, &work.experts.data}) {
      part->kernels -= kLinears * (experts - 1);
    }
  }
  if (job.routing.balance == workload::Balance::dropped) {
    add_launches(work.router.forward, -5, -6);
    add_launches(work.router.data, -1, -1);
    if (!job.exchange.permute_fusion) {
      add_launches(work.dispatch_side, -4, -6);
    }
  }
}

TEST_CASE("layers and steps equal the reference's") {
  constexpr double kRounding = 1e-9;
  const ConstantTable table = reference_constants();
  const cost::Table laws = cost::compiled_table();
  for (const Case& each : cases()) {
    CAPTURE(each.name);
    auto read = test::workload_of(each.recipe, each.hw, each.gpus);
    REQUIRE(read.problems.empty());
    read.workload.kernels.copies_padding = false;  // the reference knows no padding
    const auto machine = machine_of(*hw::find_profile(each.hw), read.workload.machine, laws, table);
    REQUIRE(machine.problem.empty());
    StepWork work = lower(read.workload, machine.machine, table.values);
    as_the_reference_counts(work);
    const StepTimes times = evaluate(work, table.values, {});
    CHECK(deviation(times.layer.forward, each.forward) < kRounding);
    CHECK(deviation(times.layer.backward, each.backward) < kRounding);
    CHECK(deviation(times.layer.both, each.both) < kRounding);
    // The reference approximates what fills and drains a pipeline; schedule/ counts it.
    CHECK(deviation(times.body, each.body) < (work.pipeline.stages == 1 ? kRounding : 0.01));
  }
}

}  // namespace
}  // namespace epwise::sim
