// Every setting that a prediction claims to price moves a prediction: the table names for each row
// of perf/workload/settings.cc a recipe and a change of that setting alone.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "perf/workload/memory.h"
#include "perf/workload/settings.h"
#include "support/lowered_step.h"

namespace epwise::sim {
namespace {

using Settings =
    std::vector<std::string_view>;  // "model.x=1"; env.X=1 and stack.x=1 for the target

struct Knob {
  std::string_view row;  // of settings.cc
  Settings common;       // of both recipes
  Settings before;
  Settings after;
  std::string_view hw = "h100";
};

const Settings kHybridKnobs = {"model.moe_token_dispatcher_type=flex",
                               "model.moe_flex_dispatcher_backend=hybridep"};
const Settings kDeepKnobs = {"model.moe_token_dispatcher_type=flex",
                             "model.moe_flex_dispatcher_backend=deepep"};
const Settings kStageKnobs = {"model.pipeline_model_parallel_size=4",
                              "model.virtual_pipeline_model_parallel_size=2"};
const Settings kTensorKnobs = {"model.tensor_model_parallel_size=2",
                               "model.sequence_parallel=true"};
const Settings kOverlapKnobs = {"comm_overlap.overlap_moe_expert_parallel_comm=true"};
const Settings kMxfp8Knobs = {"mixed_precision=bf16_with_mxfp8_mixed"};
const Settings kGraphKnobs = {"model.cuda_graph_impl=transformer_engine"};
const Settings kVisionKnobs = {
    "model._target_=megatron.bridge.models.qwen_vl.qwen3_vl_provider.Qwen3VLMoEModelProvider",
    "model.freeze_vision_model=false",
    "model.freeze_language_model=false",
    "dataset.image_size=[512, 512]",
    "dataset.num_images=2"};
const Settings kAttentionGraphKnobs = {"model.cuda_graph_scope=[attn]"};

Settings joined_settings(Settings all, const Settings& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// NOLINTNEXTLINE(readability-function-size): a table
const std::vector<Knob>& knobs() {
  static const std::vector<Knob> all = {
      {"*_parallel_size", {}, {}, {"model.expert_model_parallel_size=8"}},
      {"model.sequence_parallel",
       {"model.tensor_model_parallel_size=2"},
       {"model.sequence_parallel=false"},
       {"model.sequence_parallel=true"}},
      {"model.pipeline_model_parallel_layout",
       {"model.pipeline_model_parallel_size=2"},
       {},
       {"model.pipeline_model_parallel_layout='Et*8|t*16L'"}},
      {"model.num_layers_in_*",
       {"model.pipeline_model_parallel_size=2"},
       {},
       {"model.num_layers_in_first_pipeline_stage=8"}},
      {"model.account_for_*",
       {"model.pipeline_model_parallel_size=2", "model.num_layers=23"},
       {},
       {"model.account_for_embedding_in_pipeline_split=true"}},
      {"model.microbatch_group_size_per_vp_stage",
       kStageKnobs,
       {},
       {"model.microbatch_group_size_per_vp_stage=8"}},
      {"train.micro_batch_size", {}, {}, {"train.micro_batch_size=2"}},
      {"*.overlap_grad_reduce",
       {"train.global_batch_size=16"},
       {"ddp.overlap_grad_reduce=true"},
       {"ddp.overlap_grad_reduce=false"}},
      {"*.overlap_param_gather",
       {"train.global_batch_size=16"},
       {"ddp.overlap_param_gather=true", "ddp.overlap_grad_reduce=true"},
       {"ddp.overlap_param_gather=false", "ddp.overlap_grad_reduce=true"}},
      {"*.tp_comm_overlap",
       kTensorKnobs,
       {"comm_overlap.tp_comm_overlap=false"},
       {"comm_overlap.tp_comm_overlap=true"}},
      {"*.overlap_moe_expert_parallel_comm", {}, {}, kOverlapKnobs},
      {"comm_overlap.delay_wgrad_compute",
       kOverlapKnobs,
       {},
       {"comm_overlap.delay_wgrad_compute=true"}},
      {"model.delay_wgrad_compute", kOverlapKnobs, {}, {"comm_overlap.delay_wgrad_compute=true"}},
      {"model.overlap_dispatch_backward_with_experts_wgrad",
       {},
       {},
       {"model.overlap_dispatch_backward_with_experts_wgrad=true"}},
      {"*.use_megatron_fsdp", {}, {}, {"ddp.use_megatron_fsdp=true"}},
      {"ddp.data_parallel_sharding_strategy",
       {"ddp.use_megatron_fsdp=true"},
       {"ddp.data_parallel_sharding_strategy=optim"},
       {"ddp.data_parallel_sharding_strategy=optim_grads_params"}},
      {"dist.use_torch_fsdp2", {}, {}, {"dist.use_torch_fsdp2=true"}},
      {"*.overlap_p2p_comm",
       kStageKnobs,
       {},
       {"model.overlap_p2p_comm=false", "comm_overlap.overlap_p2p_comm=false"}},
      {"model.cuda_graph_impl", {}, {}, joined_settings(kGraphKnobs, kAttentionGraphKnobs)},
      {"model.cuda_graph_scope",
       kGraphKnobs,
       kAttentionGraphKnobs,
       {"model.cuda_graph_scope=[attn, moe_router]"}},
      {"model.enable_cuda_graph", {}, {}, {"model.enable_cuda_graph=true"}},
      {"*.use_distributed_optimizer",
       {},
       {},
       {"ddp.use_distributed_optimizer=false", "optimizer.use_distributed_optimizer=false"}},
      {"optimizer.use_layer_wise_distributed_optimizer",
       {"ddp.use_distributed_optimizer=false"},
       {},
       {"optimizer.use_layer_wise_distributed_optimizer=true"}},
      {"optimizer.use_precision_aware_optimizer",
       {"optimizer.exp_avg_dtype=torch.bfloat16"},
       {},
       {"optimizer.use_precision_aware_optimizer=true"}},
      {"optimizer.optimizer_cpu_offload",
       {"optimizer.optimizer_offload_fraction=0.5"},
       {},
       {"optimizer.optimizer_cpu_offload=true"}},
      {"optimizer.optimizer_offload_fraction",
       {"optimizer.optimizer_cpu_offload=true"},
       {},
       {"optimizer.optimizer_offload_fraction=0.5"}},
      {"optimizer.overlap_cpu_optimizer_d2h_h2d",
       {"optimizer.optimizer_cpu_offload=true", "optimizer.optimizer_offload_fraction=0.5"},
       {},
       {"optimizer.overlap_cpu_optimizer_d2h_h2d=true"}},
      {"model.recompute_*",
       {"model.recompute_granularity=full", "model.recompute_method=block"},
       {"model.recompute_num_layers=2"},
       {"model.recompute_num_layers=12"}},
      {"model.moe_layer_recompute", {}, {}, {"model.moe_layer_recompute=true"}},
      {"model.cpu_offloading*",
       {},
       {},
       {"model.cpu_offloading=true", "model.cpu_offloading_num_layers=8"}},
      {"model.fine_grained_activation_offloading",
       {"model.offload_modules=[core_attn]"},
       {},
       {"model.fine_grained_activation_offloading=true"}},
      {"model.offload_modules",
       {"model.fine_grained_activation_offloading=true"},
       {"model.offload_modules=[core_attn]"},
       {"model.offload_modules=[core_attn, expert_fc1]"}},
      {"model.moe_router_fusion", {}, {}, {"model.moe_router_fusion=true"}},
      {"model.moe_permute_fusion",
       {},
       {"model.moe_permute_fusion=false"},
       {"model.moe_permute_fusion=true"}},
      {"model.cross_entropy_*",
       {},
       {"model.cross_entropy_loss_fusion=true", "model.cross_entropy_fusion_impl=te"},
       {"model.cross_entropy_loss_fusion=false"}},
      {"model.use_transformer_engine_op_fuser",
       kMxfp8Knobs,
       {},
       {"model.use_transformer_engine_op_fuser=true"},
       "b200"},
      {"model.apply_rope_fusion", {}, {}, {"model.apply_rope_fusion=false"}},
      {"model.moe_grouped_gemm", {}, {}, {"model.moe_grouped_gemm=false"}},
      {"model.bias_activation_fusion", {}, {}, {"model.bias_activation_fusion=false"}},
      {"model.gradient_accumulation_fusion", {}, {}, {"model.gradient_accumulation_fusion=false"}},
      {"model.bias_dropout_fusion", {}, {}, {"model.bias_dropout_fusion=false"}},
      {"model.moe_router_padding_for_*",
       kMxfp8Knobs,
       {},
       {"model.moe_router_padding_for_quantization=true"},
       "b200"},
      {"model.moe_deepep_num_sms", kDeepKnobs, {}, {"model.moe_deepep_num_sms=8"}},
      {"model.moe_hybridep_num_sms", kHybridKnobs, {}, {"model.moe_hybridep_num_sms=4"}},
      {"model.moe_flex_dispatcher_*", {"model.moe_token_dispatcher_type=flex"}, {}, kHybridKnobs},
      {"model.moe_token_dispatcher_type", {}, {}, kDeepKnobs},
      {"model.moe_expert_rank_capacity_factor",
       kHybridKnobs,
       {},
       {"model.moe_expert_rank_capacity_factor=1.5"}},
      {"model.moe_paged_stash*",
       joined_settings(kHybridKnobs, {"model.moe_expert_rank_capacity_factor=1.5"}),
       {},
       {"model.moe_paged_stash=true"}},
      {"model.vision_config", kVisionKnobs, {}, {"model.vision_config={depth: 40}"}},
      {"model.freeze_*", kVisionKnobs, {}, {"model.freeze_vision_model=true"}},
      {"model.use_hf_vision_model",
       joined_settings(kVisionKnobs, kTensorKnobs),
       {},
       {"model.use_hf_vision_model=true"}},
      {"model.vision_dp_when_cp",
       joined_settings(kVisionKnobs, {"model.context_parallel_size=2"}),
       {},
       {"model.vision_dp_when_cp=true"}},
      {"dataset.image_size", kVisionKnobs, {}, {"dataset.image_size=[1024, 512]"}},
      {"dataset.num_images", kVisionKnobs, {}, {"dataset.num_images=3"}},
      {"model.moe_shared_expert_overlap",
       {"model.moe_shared_expert_intermediate_size=2048"},
       {},
       {"model.moe_shared_expert_overlap=true"}},
      {"model.masked_softmax_fusion",
       {"model.transformer_impl=local", "model.attention_softmax_in_fp32=true"},
       {},
       {"model.masked_softmax_fusion=false"}},
      {"NVSHMEM_DISABLE_CUDA_VMM", kDeepKnobs, {}, {"env.NVSHMEM_DISABLE_CUDA_VMM=1"}},
      {"NVSHMEM_SYMMETRIC_SIZE",
       joined_settings(kDeepKnobs, {"env.NVSHMEM_DISABLE_CUDA_VMM=1"}),
       {},
       {"env.NVSHMEM_SYMMETRIC_SIZE=2G"}},
      {"CUDA_DEVICE_MAX_CONNECTIONS",
       joined_settings(kOverlapKnobs, {"train.micro_batch_size=4"}),
       {"env.CUDA_DEVICE_MAX_CONNECTIONS=32"},
       {"env.CUDA_DEVICE_MAX_CONNECTIONS=1"}},
      {"NUM_OF_HYBRID_EP_RANKS_PER_NVLINK_DOMAIN",
       kHybridKnobs,
       {},
       {"env.NUM_OF_HYBRID_EP_RANKS_PER_NVLINK_DOMAIN=4"},
       "gb200"},
      {"NVTE_CUTEDSL_FUSED_GROUPED_MLP",
       joined_settings(kMxfp8Knobs, {"model.use_transformer_engine_op_fuser=true"}),
       {},
       {"env.NVTE_CUTEDSL_FUSED_GROUPED_MLP=0"},
       "b200"},
      {"te", kMxfp8Knobs, {"stack.te=2.14.0"}, {"stack.te=2.5.0"}, "gb200"},
      {"cudnn",
       {"model.softmax_type=learnable", "model.cuda_graph_impl=full_iteration"},
       {"stack.cudnn=9.18.0"},
       {"stack.cudnn=9.10.0"},
       "gb200"},
  };
  return all;
}

/// Priced rows that cannot be varied by a Bridge recipe here, with the reason.
const std::map<std::string_view, std::string_view>& unvaried() {
  static const std::map<std::string_view, std::string_view> rows = {
      {"mlm.num_layers_per_virtual_pipeline_stage", "an argument of Megatron-LM: virtual stages"},
      {"mlm.recompute_activations", "an argument of Megatron-LM: selective recomputation"},
      {"ddp.reuse_grad_buf_for_mxfp8_param_ag", "follows fp8_param_gather"},
      {"*.reuse_grad_buf_for_mxfp8_param_ag", "follows fp8_param_gather"},
      {"model.cuda_graph_modules", "the newer name of cuda_graph_scope"},
      {"model.external_cuda_graph", "an old name of cuda_graph_impl"},
      {"model.moe_enable_deepep", "an old name of the flex dispatcher"}};
  return rows;
}

struct KnobTarget {
  std::string recipe;
  std::map<std::string, std::string> stack;
  std::map<std::string, std::string> environment;
};

/// The small recipe with these settings; later ones win.
KnobTarget knob_target(const Settings& common, const Settings& own) {
  std::map<std::string, std::map<std::string, std::string>> sections = {
      {"model",
       {{"num_layers", "24"},
        {"hidden_size", "2048"},
        {"num_attention_heads", "32"},
        {"num_query_groups", "4"},
        {"kv_channels", "128"},
        {"num_moe_experts", "64"},
        {"moe_router_topk", "6"},
        {"moe_ffn_hidden_size", "1024"},
        {"ffn_hidden_size", "6144"},
        {"vocab_size", "100352"},
        {"gated_linear_unit", "true"},
        {"seq_length", "4096"},
        {"bf16", "true"},
        {"moe_router_force_load_balancing", "true"},
        {"expert_model_parallel_size", "16"}}},
      {"train", {{"global_batch_size", "256"}, {"micro_batch_size", "1"}}},
      {"ddp", {{"use_distributed_optimizer", "true"}}}};
  KnobTarget target;
  std::string precision = "bf16_mixed";
  for (const std::string_view setting : joined_settings(common, own)) {
    const auto equals = setting.find('=');
    const auto dot = setting.substr(0, equals).find('.');
    const std::string value(setting.substr(equals + 1));
    if (dot == std::string_view::npos) {
      precision = value;
      continue;
    }
    const std::string section(setting.substr(0, dot));
    const std::string name(setting.substr(dot + 1, equals - dot - 1));
    if (section == "env") {
      target.environment[name] = value;
    } else if (section == "stack") {
      target.stack[name] = value;
    } else {
      sections[section][name] = value;
    }
  }
  for (const auto& [section, fields] : sections) {
    target.recipe += section + ":\n";
    for (const auto& [name, value] : fields) {
      target.recipe += "  " + name + ": " + value + "\n";
    }
  }
  target.recipe += "mixed_precision: " + precision + "\n";
  return target;
}

struct KnobAnswer {
  double step = 0;
  double memory = 0;
};

KnobAnswer answer_of(const Knob& knob, const Settings& own) {
  constexpr int kGpus = 32;
  const KnobTarget target = knob_target(knob.common, own);
  auto read = test::workload_of(
      target.recipe, knob.hw, kGpus, recipe::Framework::bridge, target.stack, target.environment);
  REQUIRE(read.problems.empty());
  const StepWork work =
      lower(read.workload, test::machine_for(knob.hw, read.workload), constants().values);
  return {evaluate(work, constants().values, {}).step,
          workload::estimate_memory(read.workload).needed};
}

}  // namespace

TEST_CASE("a setting that is priced moves the step or the memory") {
  for (const Knob& knob : knobs()) {
    CAPTURE(knob.row);
    const KnobAnswer before = answer_of(knob, knob.before);
    const KnobAnswer after = answer_of(knob, knob.after);
    CHECK((before.step != after.step || before.memory != after.memory));
  }
}

TEST_CASE("every priced setting, variable and component stands in the table") {
  std::set<std::string_view> tried;
  for (const Knob& knob : knobs()) {
    tried.insert(knob.row);
    const auto* row = workload::setting_row(knob.row);
    const bool known = row != nullptr || workload::variable_row(knob.row) != nullptr ||
                       workload::component_row(knob.row) != nullptr;
    CAPTURE(knob.row);
    CHECK(known);
  }
  for (const auto rows :
       {workload::setting_rows(), workload::variable_rows(), workload::component_rows()}) {
    for (const workload::SettingRow& row : rows) {
      if (row.treatment == workload::Treatment::priced) {
        CAPTURE(row.name);
        CHECK((tried.contains(row.name) || unvaried().contains(row.name)));
      }
    }
  }
}

}  // namespace epwise::sim
