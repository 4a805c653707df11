#include "perf/workload/settings.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/core.h>

namespace epwise::workload {

namespace {

using enum Treatment;

constexpr std::string_view kVision =
    "encoders on ranks of their own, and of other kinds than images, are not predicted";
constexpr std::string_view kWeights = "weights sharded over such groups are not predicted";
constexpr std::string_view kLengths = "sequences count with their full length, split evenly";
constexpr std::string_view kLaw = "part of the law: kernels were measured this way";
constexpr std::string_view kBuckets = "data-parallel traffic counts as one ring";
constexpr std::string_view kStartup = "at start-up only";
constexpr std::string_view kInference = "of inference or roll-outs, not of training steps";
constexpr std::string_view kLoader = "the loader works beside the step";
constexpr std::string_view kRegister = "registered and symmetric buffers are not predicted";
constexpr std::string_view kTensor = "tensor-parallel overlap counts as a whole (tp_comm_overlap)";

constexpr std::array kRows = std::to_array<SettingRow>({
    // Division of work
    {"mlm.rl_*", no_effect, "", kInference},
    {"*inference*", no_effect, "", kInference},
    {"model.vision_config", priced, "", "the encoder of images"},
    {"model.freeze_*", priced, "", "gradients and states"},
    {"model.use_hf_vision_model", priced, "", "the encoder's division"},
    {"model.vision_dp_when_cp", priced, "", "the encoder's division"},
    {"dataset.image_size", priced, "", "patches of an image"},
    {"dataset.num_images", priced, "", "images of a sequence"},
    {"*vision_cuda_graph_*", told, "", "graphs of an encoder of images are not predicted"},
    {"*vision*", told, "", kVision},
    {"model.encoder_pipeline_model_parallel_size", told, "", kVision},
    {"model.*mimo*", told, "", kVision},
    {"model.vit_gradient_checkpointing", told, "", kVision},
    {"model.multimodal_attn_impl", told, "", kVision},
    {"model.dist_train*", told, "", kVision},
    {"model.topology", told, "", "the placement of ranks is taken from their order"},
    {"dist.use_tp_pp_dp_mapping", told, "", "the placement of ranks is taken from the usual order"},
    {"dist.external_gpu_device_mapping", no_effect, "", kStartup},
    {"*gtp_*", told, "", kWeights},
    {"model.tensor_parallel_num_weight_shards", told, "", kWeights},
    {"model.expert_tensor_parallel_num_weight_shards", told, "", kWeights},
    {"*hybrid_context_parallel", told, "", kLengths},
    {"model.hierarchical_context_parallel_sizes",
     told,
     "",
     "context parallelism counts as one ring"},
    {"model.cp_comm_type", told, "", "context parallelism counts as a ring of keys and values"},
    {"model.max_seqlen_per_dp_cp_rank", told, "", kLengths},
    {"model.variable_seq_lengths", told, "", kLengths},
    {"model.moe_extended_tp", told, "", "experts are sliced by expert_tensor_parallel_size only"},
    {"mlm.create_all_gather_group", told, "", kBuckets},
    {"mlm.enable_full_sharding_in_hsdp", told, "", kBuckets},
    {"mlm.model_parallel_size", no_effect, "", "an old name, which the launch turns into another"},
    {"mlm.fake_process_group", no_effect, "", "not a training run"},
    {"model.parallel_output", no_effect, "", "always on in training"},
    {"model.pipeline_model_parallel_split_rank", told, "", "models of two parts are not predicted"},
    {"model.pipeline_model_parallel_comm_backend", told, "", "transfers between stages are NCCL's"},
    {"tokenizer.tensor_model_parallel_size",
     no_effect,
     "",
     "pads the vocabulary, as does the model"},
    {"peft.sequence_parallel_input_regather", told, "", "adapters count with their states only"},
    {"peft.a2a_experimental", told, "", "adapters count with their states only"},
    {"dataset.context_parallel_size", no_effect, "", "repeats the model's"},
    {"dataset.data_parallel_size", no_effect, "", "repeats the model's"},
    {"dataset.micro_batch_size", no_effect, "", "repeats train.micro_batch_size"},
    {"dataset.sequence_parallel_size", no_effect, "", "repeats the model's"},
    {"comm_overlap.data_parallel_size", no_effect, "", "computed by the launch"},
    {"*_parallel_size", priced, "", "group sizes"},
    {"model.sequence_parallel", priced, "", "tokens of a rank"},
    {"model.pipeline_model_parallel_layout", priced, "", "layers of a stage"},
    {"model.num_layers_in_*", priced, "", "layers of a stage"},
    {"model.account_for_*", priced, "", "layers of a stage"},
    {"mlm.num_layers_per_virtual_pipeline_stage", priced, "", "schedule"},
    {"model.microbatch_group_size_per_vp_stage", priced, "", "schedule"},
    {"train.micro_batch_size", priced, "", "tokens of a micro-batch"},
    // Communication and overlap
    {"*.overlap_grad_reduce", priced, "", "exposed gradient traffic"},
    {"*.overlap_param_gather", priced, "", "exposed weight traffic"},
    {"*.tp_comm_overlap", priced, "", "exposed tensor-parallel traffic"},
    {"*.overlap_moe_expert_parallel_comm", priced, "", "layers side by side"},
    {"comm_overlap.delay_wgrad_compute", priced, "", "order of the layer's nodes"},
    {"model.delay_wgrad_compute", priced, "", "order of the layer's nodes"},
    {"model.overlap_dispatch_backward_with_experts_wgrad",
     priced,
     "",
     "weight gradients beside it"},
    {"*.use_megatron_fsdp", priced, "", "traffic and shards"},
    {"ddp.data_parallel_sharding_strategy", priced, "", "traffic and shards"},
    {"ddp.use_custom_fsdp", told, "", "an old FSDP is not predicted"},
    {"dist.use_torch_fsdp2", priced, "", "traffic and shards"},
    {"mlm.torch_fsdp2_*", told, "", "PyTorch's FSDP gathers weights in both passes"},
    {"*.overlap_p2p_comm_warmup_flush", told, "", "transfers of fill and drain count as others"},
    {"*.overlap_p2p_comm", priced, "", "transfers between stages"},
    {"*.batch_p2p_*", told, "", "transfers between stages count by bytes"},
    {"model.use_ring_exchange_p2p", told, "", "transfers between stages count by bytes"},
    {"model.deallocate_pipeline_outputs", told, "true", "outputs of a stage are freed"},
    {"*.defer_embedding_wgrad_compute",
     told,
     "",
     "the embedding's gradient is inside the last stage"},
    {"*.wgrad_deferral_limit", told, "", "the embedding's gradient is inside the last stage"},
    {"*.overlap_param_gather_with_optimizer_step", told, "", "the optimizer follows the traffic"},
    {"*.align_param_gather", told, "", kBuckets},
    {"dist.align_grad_reduce", told, "", kBuckets},
    {"*.bucket_size", told, "", kBuckets},
    {"ddp.num_buckets", told, "", kBuckets},
    {"ddp.pad_buckets_for_high_nccl_busbw", told, "", kBuckets},
    {"ddp.num_distributed_optimizer_instances", told, "", kBuckets},
    {"ddp.outer_dp_sharding_strategy", told, "", kBuckets},
    {"ddp.gradient_reduce_div_fusion", told, "true", kBuckets},
    {"ddp.delay_wgrad_compute", no_effect, "", "set by the launch from the model's"},
    {"ddp.fsdp_*", told, "", "FSDP's buffers and their reuse are not predicted"},
    {"ddp.megatron_fsdp_*", told, "", "FSDP's buffers and their reuse are not predicted"},
    {"ddp.suggested_communication_unit_size",
     told,
     "",
     "FSDP's buffers and their reuse are not predicted"},
    {"ddp.preserve_fp32_weights", told, "", "FSDP's buffers and their reuse are not predicted"},
    {"mlm.use_custom_fsdp", told, "", "FSDP's buffers and their reuse are not predicted"},
    {"mlm.keep_fp8_transpose_cache_*",
     told,
     "",
     "transposed FP8 weights under FSDP are not predicted"},
    {"ddp.keep_fp8_transpose_cache",
     told,
     "",
     "transposed FP8 weights under FSDP are not predicted"},
    {"ddp.reuse_grad_buf_for_mxfp8_param_ag", priced, "", "copies of weights"},
    {"ddp.nccl_ub", told, "", kRegister},
    {"ddp.disable_symmetric_registration", told, "", kRegister},
    {"model.symmetric_ar_type", told, "", kRegister},
    {"dist.*sharp*", told, "", "reductions in the network are not predicted"},
    {"dist.nccl_communicator_config_path", told, "", "NCCL's own settings are not predicted"},
    {"dist.high_priority_stream_groups", told, "", "priorities of streams are not predicted"},
    {"model.high_priority_a2a_comm_stream", told, "", "priorities of streams are not predicted"},
    {"model.ep_overlap_early_attn_memory_release",
     told,
     "",
     "memory under overlap keeps the attention"},
    {"model.tp_comm_*", told, "", kTensor},
    {"comm_overlap.tp_comm_*", told, "", kTensor},
    {"model.async_tensor_model_parallel_allreduce", told, "", kTensor},
    {"model.scatter_embedding_sequence_parallel", told, "true", kTensor},
    {"model.clone_scatter_output_in_embedding", told, "true", kTensor},
    {"mlm.scatter_gather_tensors_in_pipeline", told, "true", kTensor},
    {"*.barrier_with_L1_time", no_effect, "", "logging"},
    {"model.*_func", no_effect, "", "hooks that the framework sets"},
    {"dist.disable_jit_fuser", told, "", "element-wise kernels count as fused"},
    {"dist.*", no_effect, "", kStartup},
    {"optimizer.overlap_cpu_optimizer_d2h_h2d", priced, "", "copies beside the update on the host"},
    {"train.train_sync_interval", told, "", "stalls of periodic synchronisation are not predicted"},
    // Data
    {"dataset.*", no_effect, "", kLoader},
    {"mlm.*dataset*", no_effect, "", kLoader},
    {"mlm.*dataloader*", no_effect, "", kLoader},
    {"mlm.mmap_bin_files", no_effect, "", kLoader},
    {"mlm.use_gigatoken", no_effect, "", kLoader},
    // CUDA graphs
    {"model.cuda_graph_impl", priced, "", "host time of captured parts"},
    {"model.cuda_graph_modules", priced, "", "host time of captured parts"},
    {"model.cuda_graph_scope", priced, "", "host time of captured parts"},
    {"model.enable_cuda_graph", priced, "", "host time of captured parts"},
    {"model.external_cuda_graph", priced, "", "host time of captured parts"},
    {"*te_rng_tracker", no_effect, "", "random numbers only"},
    {"model.cuda_graph_warmup_steps", no_effect, "", kStartup},
    {"model.cuda_graph_*", told, "", "memory pools of graphs count as separate"},
    {"model.delay_offload_until_cuda_graph", told, "", "offloading counts by bytes"},
    {"optimizer.optimizer_cuda_graph", told, "", "the optimizer's launches count"},
    // Memory against time
    {"*.use_distributed_optimizer", priced, "", "states and traffic"},
    {"optimizer.use_layer_wise_distributed_optimizer", priced, "", "states and traffic"},
    {"optimizer.use_precision_aware_optimizer", priced, "", "states"},
    {"optimizer.optimizer_cpu_offload", priced, "", "states on the host"},
    {"optimizer.optimizer_offload_fraction", priced, "", "states on the host"},
    {"model.recompute_*", priced, "", "recomputation"},
    {"mlm.recompute_activations", priced, "", "recomputation"},
    {"model.moe_layer_recompute", priced, "", "recomputation"},
    {"mlm.checkpoint_activations", no_effect, "", "refused by the launch"},
    {"model.cpu_offloading_weights", told, "", "offloaded weights are not predicted"},
    {"model.cpu_offloading_*buffer*", told, "", "host buffers are not predicted"},
    {"model.cpu_offloading*", priced, "", "activations on the host"},
    {"model.fine_grained_activation_offloading", priced, "", "activations on the host"},
    {"model.offload_modules", priced, "", "activations on the host"},
    {"model.*offload*", told, "", "offloaded modules count as a whole"},
    {"model.distribute_saved_activations",
     told,
     "",
     "saved inputs count on every tensor-parallel rank"},
    {"model.num_microbatches_with_partial_activation_checkpoints",
     told,
     "",
     "recomputation counts for every micro-batch"},
    {"model.activation_func_fp8_input_store", told, "", "activations are kept in BF16"},
    {"model.gdp_num_chunk_states_to_recompute", told, "", "states of scans are computed again"},
    {"model.mhc_recompute_layer_num", told, "", "hyper-connections are not predicted"},
    {"model.mlp_chunks_for_training", told, "", "MLPs run in one chunk"},
    {"*.reuse_grad_buf_for_mxfp8_param_ag", priced, "", "copies of weights"},
    {"mlm.use_layer_wise_param_layout", told, "", kBuckets},
    {"optimizer.store_param_remainders", told, "", "main weights count in full"},
    {"optimizer.pin_cpu_*", told, "", "copies to pinned memory are assumed"},
    {"optimizer.use_torch_optimizer_for_cpu_offload", told, "", "an update on the host is Adam's"},
    {"train.empty_unused_memory_level", told, "", "the allocator is never emptied"},
    {"train.manual_gc*", told, "", "pauses of Python's garbage collector are not predicted"},
    // Kernels
    {"model.moe_router_fusion", priced, "", "the router's kernels and launches"},
    {"model.moe_permute_fusion_into_hybridep", told, "", kLaw},
    {"model.moe_permute_fusion", priced, "", "the permutation"},
    {"model.cross_entropy_*", priced, "", "the loss and memory of the logits"},
    {"model.use_transformer_engine_op_fuser", priced, "", "the experts' kernels"},
    {"model.apply_rope_fusion", priced, "", "passes and launches of rotary positions"},
    {"model.moe_grouped_gemm", priced, "", "the experts' kernels and launches"},
    {"model.bias_activation_fusion", priced, "", "passes and launches of the activation"},
    {"model.gradient_accumulation_fusion", priced, "", "passes over weight gradients"},
    {"model.bias_dropout_fusion", priced, "", "passes and launches of residuals"},
    {"model.bias_dropout_add_fusion", told, "true", "unfused residuals take more kernels"},
    {"mlm.bias_gelu_fusion", told, "true", "an unfused activation takes more kernels"},
    {"model.masked_softmax_fusion", priced, "", "scores of the local attention"},
    {"model.transformer_impl",
     told,
     "transformer_engine",
     "the local implementation takes the time of Transformer Engine's"},
    {"model.attention_backend", told, "auto", "attention takes the time of cuDNN's kernel"},
    {"model.deterministic_mode", told, "false", "deterministic kernels are slower"},
    {"model.batch_invariant*", told, "", "batch-invariant kernels are slower"},
    {"model.moe_router_padding_for_*", priced, "", "copies of the experts' rows"},
    {"model.use_mamba_mem_eff_path", told, "true", "the scan counts as fused"},
    {"model.use_cpu_initialization", no_effect, "", kStartup},
    {"model.init_model_with_meta_device", no_effect, "", kStartup},
    {"model.transformer_layer_spec", told, "", "layers are the framework's own"},
    {"mlm.spec", told, "", "layers are the framework's own"},
    {"mlm.onnx_safe", no_effect, "", "exports only"},
    {"mlm.deprecated_use_mcore_models", no_effect, "", "always on"},
    {"mlm.use_legacy_models", no_effect, "", "refused by the launch"},
    {"mlm.enable_experimental", no_effect, "", "admits other settings"},
    {"mlm.kitchen_*", told, "", kLaw},
    {"mlm.use_flash_attn", told, "", kLaw},
    {"optimizer.muon_*", told, "", "Muon's orthogonalisation is not predicted"},
    {"logger.*", no_effect, "", "logging"},
    // Token dispatch
    {"model.moe_deepep_num_sms", priced, "", "SMs of the exchange"},
    {"model.moe_hybridep_num_sms", priced, "", "SMs of the exchange"},
    {"model.moe_flex_dispatcher_*", priced, "", "the exchange"},
    {"model.moe_token_dispatcher_type", priced, "", "the exchange"},
    {"model.moe_enable_deepep", priced, "", "the exchange"},
    {"model.moe_expert_rank_capacity_factor", priced, "", "static buffers"},
    {"model.moe_shared_expert_overlap", priced, "", "the shared expert beside the exchange"},
    {"model.moe_paged_stash_page_size", no_effect, "", "rounds an allocation up by a page"},
    {"model.moe_paged_stash*",
     priced,
     "",
     "what experts keep of static buffers, and copies to the host"},
    {"model.moe_hybridep_*", told, "", "the exchange's own kernels beside its copies"},
    {"model.moe_ncclep_*", told, "", "NCCL-EP counts as HybridEP"},
    {"model.dense_grouped_gemm", told, "", kLaw},
    {"model.disable_parameter_transpose_cache", told, "", kLaw},
    {"model.dsa_kernel_backend", told, "", kLaw},
    {"model.flash_attention_version", told, "", kLaw},
    {"model.fused_residual_rmsnorm", told, "", kLaw},
    {"model.fused_single_qkv_rope", told, "", kLaw},
    {"model.gdp_cutedsl_kernel", told, "", kLaw},
    {"model.kitchen_attention_backend", told, "", kLaw},
    {"model.mamba_chunk_size", told, "", kLaw},
    {"model.memory_efficient_layer_norm", told, "", kLaw},
    {"model.mla_down_proj_fusion", told, "", kLaw},
    {"model.moe_single_grouped_bias", told, "", kLaw},
    {"model.moe_single_grouped_weight", told, "", kLaw},
    {"model.moe_use_legacy_grouped_gemm", told, "", kLaw},
    {"model.moe_use_grouped_tensor", told, "", kLaw},
    {"model.persist_layer_norm", told, "", kLaw},
    {"model.use_fused_weighted_squared_relu", told, "", kLaw},
    {"model.use_grouped_gemm_for_dense_mlp", told, "", kLaw},
    {"model.use_grouped_gemm_for_shared_expert", told, "", kLaw},
    {"model.use_kitchen", told, "", kLaw},
    {"model.use_kitchen_attention", told, "", kLaw},
    {"model.use_transformer_engine_full_layer_spec", told, "", kLaw},
});

constexpr std::string_view kTransformerEngine = "Transformer Engine's usual kernels are assumed";
constexpr std::string_view kCollectives = "collectives take the time of NCCL's defaults";
constexpr std::string_view kChunks = "HybridEP's usual chunks are assumed";
constexpr std::string_view kFabric = "the fabric's rate is the profile's, or --input nic_rate";
constexpr std::string_view kCaches = "caches of compiled kernels";

/// Environment variables; `usual`: what the prediction assumes.
constexpr std::array kVariables = std::to_array<SettingRow>({
    {"CUDA_DEVICE_MAX_CONNECTIONS", priced, "", "order of kernels under overlap"},
    {"NUM_OF_HYBRID_EP_RANKS_PER_NVLINK_DOMAIN", priced, "", "traffic between domains"},
    {"NVTE_CUTEDSL_FUSED_GROUPED_MLP", priced, "", "the experts' kernels"},
    {"NVTE_*_LAYERNORM_SM_MARGIN",
     no_effect,
     "",
     "published steps, which the contention is fitted to, were measured with a margin"},
    {"NVTE_NORM_*_USE_CUDNN", told, "0", "norms are Transformer Engine's own kernels"},
    {"NVTE_ALLOW_NONDETERMINISTIC_ALGO", told, "1", "deterministic attention is slower"},
    {"NVTE_FUSED_ATTN", told, "1", "attention takes the time of cuDNN's kernel"},
    {"NVTE_FLASH_ATTN", told, "1", "attention takes the time of cuDNN's kernel"},
    {"NVTE_UNFUSED_ATTN", told, "1", "attention takes the time of cuDNN's kernel"},
    {"NVTE_APPLY_QK_LAYER_SCALING", no_effect, "", "numbers only"},
    {"NVTE_CPU_OFFLOAD_V1", no_effect, "", "which code offloads, not how much"},
    {"NVTE_DEBUG*", no_effect, "", "logging"},
    {"NVTE_*", told, "", kTransformerEngine},
    {"CUBLAS_WORKSPACE_CONFIG", told, "", "workspaces count as 0.4 GiB"},
    {"*_DETERMINISTIC", told, "0", "deterministic kernels are slower"},
    {"PYTORCH_*ALLOC_CONF",
     told,
     "expandable_segments:True",
     "fragments count as 5 % of what is allocated, as in published runs"},
    {"TORCH_NCCL_AVOID_RECORD_STREAMS", told, "1", "memory of recorded streams is not counted"},
    {"TORCH_NCCL_HIGH_PRIORITY", told, "0", "priorities of streams are not predicted"},
    {"TORCH_DISTRIBUTED_DEBUG", told, "OFF", "checks of each collective are not predicted"},
    {"PYTORCH_NO_CUDA_MEMORY_CACHING", told, "0", "an allocator without a cache is not predicted"},
    {"TORCH_NCCL_*", no_effect, "", "watchdog and logging"},
    {"NCCL_DEBUG*", no_effect, "", "logging"},
    {"NCCL_SOCKET_IFNAME", no_effect, "", kStartup},
    {"GLOO_SOCKET_IFNAME", no_effect, "", kStartup},
    {"MASTER_ADDR", no_effect, "", kStartup},
    {"LD_LIBRARY_PATH", no_effect, "", kStartup},
    {"TORCH_CUDA_ARCH_LIST", no_effect, "", "of builds"},
    {"*USE_MCORE_GDN", told, "", "which kernels a gated delta net takes"},
    {"CUDA_MODULE_LOADING", no_effect, "", kStartup},
    {"CUDA_FORCE_PTX_JIT", no_effect, "", kStartup},
    {"TRITON_INTERPRET", told, "0", "compiled kernels are assumed"},
    {"CUBLASLT_LOG_*", no_effect, "", "logging"},
    {"CUBLAS_LOG*", no_effect, "", "logging"},
    {"CUDNN_LOG*", no_effect, "", "logging"},
    {"CUDNN_FRONTEND_LOG*", no_effect, "", "logging"},
    {"DEEP_EP_DEVICE_TO_HCA_MAPPING", told, "", "each GPU uses the nearest card"},
    {"NCCL_GRAPH_REGISTER", told, "0", kRegister},
    {"NCCL_NVLS_ENABLE", told, "", kCollectives},
    {"NCCL_IB_*", told, "", kFabric},
    {"NCCL_*", told, "", kCollectives},
    {"HYBRID_EP_*", told, "", kFabric},
    {"NUM_OF_TOKENS_PER_CHUNK_*", told, "", kChunks},
    {"USE_MNNVL", told, "", "--input nvlink_domain states the domain"},
    {"NVLINK_DOMAIN_SIZE", told, "", "--input nvlink_domain states the domain"},
    {"NVSHMEM_DISABLE_CUDA_VMM", priced, "", "NVSHMEM's heap"},
    {"NVSHMEM_SYMMETRIC_SIZE", priced, "", "NVSHMEM's heap where it does not grow"},
    {"NVSHMEM_*", told, "", kFabric},
    {"FI_*", told, "", kFabric},
    {"CUDA_GRAPHS_USE_NODE_PRIORITY", told, "0", "priorities of streams are not predicted"},
    {"CUDA_VISIBLE_DEVICES", no_effect, "", "the number of GPUs is the target's"},
    {"CUDA_LAUNCH_BLOCKING", told, "0", "launches do not wait for their kernels"},
    {"OMP_NUM_THREADS", no_effect, "", "launches come from one thread"},
    {"UB_SKIPMC", told, "", "the transport of TP overlap is not predicted"},
    {"TORCHDYNAMO_DISABLE", told, "0", "compiled pointwise kernels are assumed"},
    {"TORCH_COMPILE_DISABLE", told, "0", "compiled pointwise kernels are assumed"},
    {"TRITON_CACHE_DIR", no_effect, "", kCaches},
    {"TORCHINDUCTOR_CACHE_DIR", no_effect, "", kCaches},
    {"EP_JIT_CACHE_DIR", no_effect, "", kCaches},
    {"HF_*", no_effect, "", kStartup},
    {"SGLANG_*", no_effect, "", "of generation, which is not priced"},
    {"VLLM_*", no_effect, "", "of generation, which is not priced"},
    {"NRL_*", no_effect, "", kStartup},
    {"WANDB*", no_effect, "", "logging"},
});

/// Components of the stack.
constexpr std::array kComponents = std::to_array<SettingRow>({
    {"te", priced, "", "kernels of quantisation, fused experts, buffers of graphs"},
    {"cudnn", priced, "", "attention with a learnable softmax"},
    {"bridge", no_effect, "", "its fields and defaults are the recipe's"},
    {"mlm", no_effect, "", "its fields and defaults are the recipe's"},
    {"mcore", no_effect, "", "its fields and defaults are the recipe's"},
    {"torch", no_effect, "", "published steps over six releases show no change of its own"},
    {"nccl", no_effect, "", "collectives are fitted over releases"},
    {"cuda", no_effect, "", "published steps over releases show no change of its own"},
    {"python", no_effect, "", "host time is fitted over releases"},
    {"triton", no_effect, "", "few kernels are Triton's, and are fitted over releases"},
    {"ngc", no_effect, "", "stands for other components"},
    {"deepep*", no_effect, "", "published timings are over releases"},
    {"hybridep*", no_effect, "", "published timings are over releases"},
    {"nvshmem", no_effect, "", "published timings of exchanges are over releases"},
    {"te_nccl_ep", no_effect, "", "says whether a dispatcher starts"},
    {"deep_gemm", no_effect, "", "of inference"},
    {"vllm", no_effect, "", "of generation, which is not priced"},
    {"sglang", no_effect, "", "of generation, which is not priced"},
    {"ray", no_effect, "", "places processes"},
    {"mbridge", no_effect, "", "converts weights"},
    {"transformers", no_effect, "", "reads the model's config.json"},
    {"flash_attn", no_effect, "", "published timings of attention are cuDNN's"},
    {"apex", no_effect, "", "its fusions are fields of the recipe"},
    {"nemo", no_effect, "", "its recipe holds what matters"},
    {"nemo_rl", no_effect, "", "its recipe holds what matters"},
    {"verl", no_effect, "", "its recipe holds what matters"},
    {"slime", no_effect, "", "its script holds what matters"},
    {"swift", no_effect, "", "its script holds what matters"},
    {"roll", no_effect, "", "its recipe holds what matters"},
});

bool matches(std::string_view pattern, std::string_view field) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) {
    return pattern == field;
  }
  if (!field.starts_with(pattern.substr(0, star))) {
    return false;
  }
  field.remove_prefix(star);
  const std::string_view rest = pattern.substr(star + 1);
  if (rest.find('*') == std::string_view::npos) {
    return field.ends_with(rest);
  }
  for (std::size_t i = 0; i <= field.size(); ++i) {
    if (matches(rest, field.substr(i))) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::span<const SettingRow> setting_rows() {
  return kRows;
}

std::span<const SettingRow> variable_rows() {
  return kVariables;
}

std::span<const SettingRow> component_rows() {
  return kComponents;
}

namespace {

/// Rows by name: nearly all name one field, so that few patterns are left to compare. A whole recipe
/// asks for hundreds of fields.
class RowIndex {
 public:
  explicit RowIndex(std::span<const SettingRow> rows) {
    for (const SettingRow& row : rows) {
      if (row.name.find('*') == std::string_view::npos) {
        exact_.emplace(row.name, &row);
      } else {
        patterns_.push_back(&row);
      }
    }
  }

  /// The first row that matches; null pointer: none.
  const SettingRow* find(std::string_view name) const {
    const auto found = exact_.find(name);
    const SettingRow* first = found == exact_.end() ? nullptr : found->second;
    for (const SettingRow* pattern : patterns_) {
      if (first != nullptr && first < pattern) {
        break;
      }
      if (matches(pattern->name, name)) {
        return pattern;
      }
    }
    return first;
  }

 private:
  std::unordered_map<std::string_view, const SettingRow*> exact_;
  std::vector<const SettingRow*> patterns_;  // in the order of the rows
};

const RowIndex& fields_index() {
  static const RowIndex index(kRows);
  return index;
}

}  // namespace

const SettingRow* setting_row(std::string_view field) {
  // Some classes hold the transformer's fields in a section of their own.
  constexpr std::string_view kNested = "model.transformer.";
  if (field.starts_with(kNested)) {
    return setting_row("model." + std::string(field.substr(kNested.size())));
  }
  return fields_index().find(field);
}

const SettingRow* variable_row(std::string_view name) {
  static const RowIndex index(kVariables);
  return index.find(name);
}

const SettingRow* component_row(std::string_view name) {
  static const RowIndex index(kComponents);
  return index.find(name);
}

namespace {

void note_variable(std::string_view name, std::string_view value, Workload& workload) {
  const SettingRow* const row = variable_row(name);
  if (row != nullptr && row->treatment == told && value != row->usual) {
    workload.inputs.push_back({"not_priced",
                               fmt::format("{}={}", name, value),
                               InputStatus::assumed,
                               std::string(row->reason)});
  }
}

/// Variables of the call, then those of the recipe that it does not replace.
void note_environment(const facts::Facts& facts, Workload& workload) {
  const auto& given = facts.target().environment;
  for (const auto& [name, value] : given) {
    if (value) {
      note_variable(name, *value, workload);
    }
  }
  for (const auto& [name, variable] : facts.recipe().variables) {
    if (!given.contains(name) && variable.value.text() != nullptr) {
      note_variable(name, *variable.value.text(), workload);
    }
  }
}

/// The recipe's fields, in the order of the vocabulary, which is much longer.
std::vector<const recipe::FieldSpec*> written_fields(const FieldReader& reader) {
  std::vector<const recipe::FieldSpec*> written;
  for (const auto& [name, field] : reader.facts().recipe().fields) {
    const recipe::FieldSpec* spec = reader.facts().vocabulary().find(name);
    if (spec != nullptr && spec->name == name && reader.is_written(name)) {
      written.push_back(spec);
    }
  }
  std::ranges::sort(written, std::less());
  return written;
}

}  // namespace

void note_unpriced(const FieldReader& reader, Workload& workload) {
  note_environment(reader.facts(), workload);
  for (const recipe::FieldSpec* written : written_fields(reader)) {
    const recipe::FieldSpec& field = *written;
    const expr::Value value = reader.value(field.name);
    if (value.is_unknown() || value.is_unset()) {
      continue;
    }
    const SettingRow* const row = setting_row(field.name);
    if (row == nullptr || row->treatment != told) {
      continue;
    }
    // Without a usual value of its own, the prediction assumes the framework's default.
    if (row->usual.empty() && value == field.default_value) {
      continue;
    }
    const std::string text = value.to_text();
    if (text == row->usual || text == "[]") {
      continue;
    }
    workload.inputs.push_back({"not_priced",
                               fmt::format("{} = {}", reader.spelled(field.name), text),
                               InputStatus::assumed,
                               std::string(row->reason)});
  }
}

}  // namespace epwise::workload
