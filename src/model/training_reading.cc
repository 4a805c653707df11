#include "model/training_reading.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace epwise::model {

namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// "torch.bfloat16", "bf16" → 2.
double bytes_of(const std::optional<std::string>& dtype, double otherwise) {
  constexpr std::array<std::pair<std::string_view, double>, 8> kBytes = {{{"float32", 4},
                                                                          {"fp32", 4},
                                                                          {"bfloat16", 2},
                                                                          {"bf16", 2},
                                                                          {"float16", 2},
                                                                          {"fp16", 2},
                                                                          {"uint8", 1},
                                                                          {"fp8", 1}}};
  if (!dtype) {
    return otherwise;
  }
  const auto dot = dtype->rfind('.');
  const auto name = std::string_view(*dtype).substr(dot == std::string::npos ? 0 : dot + 1);
  const auto* const found =
      std::ranges::find(kBytes, name, &std::pair<std::string_view, double>::first);
  return found == kBytes.end() ? otherwise : found->second;
}

int standard_sms(Dispatcher dispatcher) {
  switch (dispatcher) {
    case Dispatcher::deepep:
      return 20;
    case Dispatcher::hybridep:
    case Dispatcher::ncclep:
      return 16;
    case Dispatcher::alltoall:
    case Dispatcher::allgather:
      break;
  }
  return 24;  // channels of NCCL's sends and receives
}

Dispatcher read_dispatcher(const FieldReader& reader) {
  const auto type = reader.text("d.dispatcher").value_or("alltoall");
  if (type == "allgather") {
    return Dispatcher::allgather;
  }
  if (type != "flex") {
    return Dispatcher::alltoall;
  }
  const auto backend = reader.text("d.backend").value_or("deepep");
  if (backend == "hybridep") {
    return Dispatcher::hybridep;
  }
  return backend == "ncclep" ? Dispatcher::ncclep : Dispatcher::deepep;
}

/// Momentum alone, or a second moment too. (Muon keeps Adam's for embeddings, which is little.)
int moments_of(std::string_view kind) {
  const bool one = kind == "sgd" || kind == "lion" || kind == "muon" || kind == "dist_muon";
  return one ? 1 : 2;
}

/// TE keeps quantised weights in both directions of use, beside the BF16 ones unless these are
/// replaced by them. Tensor-wise FP8 needs a transposed copy before Blackwell only.
double weight_bytes(Precision precision, bool replaced, const hw::Profile* profile) {
  const bool blackwell = profile != nullptr && profile->compute_capability >= 10;
  const double kept = replaced ? 0 : 2;
  switch (precision) {
    case Precision::bf16:
      break;
    case Precision::fp8_tensor:
      return kept + (blackwell ? 1 : 2);
    case Precision::fp8_block:
    case Precision::mxfp8:
      return kept + 2 * (1 + 1.0 / 32);
    case Precision::nvfp4:
      return kept + 2 * (0.5 + 1.0 / 16);
  }
  return 2;
}

}  // namespace

Precision read_precision(const FieldReader& reader) {
  if (reader.flag("model.fp4")) {
    return Precision::nvfp4;
  }
  if (!reader.flag("model.fp8")) {
    return Precision::bf16;
  }
  const auto format = reader.text("model.fp8_recipe").value_or("delayed");
  if (format == "mxfp8") {
    return Precision::mxfp8;
  }
  return format == "blockwise" ? Precision::fp8_block : Precision::fp8_tensor;
}

Exchange read_exchange(const FieldReader& reader) {
  Exchange exchange;
  exchange.dispatcher = read_dispatcher(reader);
  std::optional<int> sms;
  if (deduplicates(exchange.dispatcher)) {
    sms = reader.integer("model.moe_flex_dispatcher_num_sms");
    if (!sms && exchange.dispatcher == Dispatcher::deepep) {
      sms = reader.integer("model.moe_deepep_num_sms");
    }
    if (!sms && exchange.dispatcher == Dispatcher::hybridep) {
      sms = reader.integer("model.moe_hybridep_num_sms");
    }
  }
  exchange.sms = std::max(1, sms.value_or(standard_sms(exchange.dispatcher)));
  exchange.permute_fusion = reader.flag("model.moe_permute_fusion");
  exchange.overlap = reader.flag("d.ep_overlap");
  exchange.delayed_wgrad = reader.flag("d.dwg");
  exchange.shared_expert_overlap = reader.flag("model.moe_shared_expert_overlap");
  exchange.wgrad_beside_dispatch =
      reader.flag("model.overlap_dispatch_backward_with_experts_wgrad");
  return exchange;
}

Routing read_routing(const FieldReader& reader) {
  Routing routing;
  routing.capacity = reader.number("d.capacity_factor").value_or(0);
  routing.rank_capacity =
      std::max(1.0, reader.number("model.moe_expert_rank_capacity_factor").value_or(1));
  if (routing.capacity > 0) {
    routing.balance = Balance::dropped;
  } else if (reader.flag("model.moe_router_force_load_balancing")) {
    routing.balance = Balance::forced;
  }
  return routing;
}

Graphs read_graphs(const FieldReader& reader) {
  Graphs graphs;
  const auto how = reader.text("d.impl").value_or("none");
  if (how == "none") {
    return graphs;
  }
  if (how == "full_iteration") {
    graphs.full_iteration = true;
    return graphs;
  }
  const auto modules = reader.texts("d.mods_after_auto");
  graphs.whole_layers = modules.empty();
  graphs.attention = contains(modules, "attn");
  graphs.mamba = contains(modules, "mamba");
  graphs.dense_mlp = contains(modules, "mlp");
  graphs.experts = contains(modules, "moe");
  graphs.router = contains(modules, "moe_router");
  graphs.preprocess = contains(modules, "moe_preprocess");
  return graphs;
}

Recompute read_recompute(const FieldReader& reader) {
  Recompute recompute;
  if (reader.text("d.gran") == "full") {
    recompute.full = true;
    recompute.block = reader.text("model.recompute_method") == "block";
    recompute.interval = std::max(1, reader.integer("model.recompute_num_layers").value_or(1));
    return recompute;
  }
  const auto modules = reader.texts("d.recompute");
  recompute.core_attention = contains(modules, "core_attn");
  recompute.norms = contains(modules, "layernorm");
  recompute.latent_projections = contains(modules, "mla_up_proj");
  recompute.expert_activation = contains(modules, "moe_act");
  recompute.experts = contains(modules, "moe");
  recompute.dense_mlp = contains(modules, "mlp");
  recompute.shared_expert = contains(modules, "shared_experts");
  return recompute;
}

ActivationOffload read_offload(const FieldReader& reader) {
  ActivationOffload offload;
  if (reader.flag("d.cpu_offloading")) {
    offload.whole_layers =
        std::max(0, reader.integer("model.cpu_offloading_num_layers").value_or(0));
  }
  if (!reader.flag("model.fine_grained_activation_offloading")) {
    return offload;
  }
  const auto modules = reader.texts("model.offload_modules");
  offload.attention_norm = contains(modules, "attn_norm");
  offload.queries_keys_values = contains(modules, "qkv_linear");
  offload.core_attention = contains(modules, "core_attn");
  offload.attention_projection = contains(modules, "attn_proj");
  offload.feed_forward_norm = contains(modules, "mlp_norm");
  offload.expert_input = contains(modules, "expert_fc1");
  offload.expert_activation = contains(modules, "moe_act");
  return offload;
}

Optimizer read_optimizer(const FieldReader& reader, Precision precision) {
  Optimizer optimizer;
  const auto kind = reader.text("optimizer.optimizer").value_or("adam");
  optimizer.moments = moments_of(kind) * 4;
  const bool gathered =
      reader.flag(precision == Precision::nvfp4 ? "model.fp4_param" : "model.fp8_param");
  optimizer.weight = weight_bytes(precision, gathered, reader.facts().target().hw);
  optimizer.distributed = reader.flag("ddp.use_distributed_optimizer") ||
                          reader.flag("optimizer.use_distributed_optimizer") ||
                          reader.flag("optimizer.use_layer_wise_distributed_optimizer") ||
                          kind.starts_with("dist_");
  optimizer.overlap_gradients = reader.flag("ddp.overlap_grad_reduce");
  optimizer.overlap_weights = reader.flag("ddp.overlap_param_gather");
  // Bridge's own default counts only where neither the file nor a preset decides.
  const bool given = reader.is_written("ddp.grad_reduce_in_fp32") ||
                     reader.is_set("mixed_precision") ||
                     reader.facts().has_section("mixed_precision").truthy() ||
                     reader.facts().recipe().framework == recipe::Framework::mlm;
  if (given) {
    optimizer.gradient = reader.flag("ddp.grad_reduce_in_fp32") ? 4 : 2;
  }
  if (reader.flag("optimizer.use_precision_aware_optimizer")) {
    optimizer.main_weight = bytes_of(reader.text("optimizer.main_params_dtype"), 4);
    optimizer.main_gradient = bytes_of(reader.text("optimizer.main_grads_dtype"), 4);
    optimizer.moments =
        bytes_of(reader.text("optimizer.exp_avg_dtype"), 4) +
        (moments_of(kind) > 1 ? bytes_of(reader.text("optimizer.exp_avg_sq_dtype"), 4) : 0);
  }
  if (reader.flag("optimizer.optimizer_cpu_offload")) {
    optimizer.host_fraction =
        std::clamp(reader.number("optimizer.optimizer_offload_fraction").value_or(1), 0.0, 1.0);
  }
  return optimizer;
}

Sharding read_sharding(const FieldReader& reader) {
  if (!reader.flag("d.megatron_fsdp")) {
    return Sharding::none;
  }
  const auto strategy =
      reader.text("ddp.data_parallel_sharding_strategy").value_or("optim_grads_params");
  if (strategy == "optim") {
    return Sharding::optimizer;
  }
  return strategy == "optim_grads" ? Sharding::gradients : Sharding::weights;
}

}  // namespace epwise::model
