#include "perf/workload/workload_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/text/ascii.h"
#include "perf/workload/field_reader.h"

namespace epwise::workload {

namespace {

class Notes {
 public:
  Notes(const FieldReader& reader, Workload& workload) : reader_(reader), workload_(workload) {}

  /// Written if any of the fields is.
  void field(std::string_view key,
             std::string value,
             std::initializer_list<std::string_view> names,
             std::string assumption = {}) {
    InputStatus status = assumption.empty() ? InputStatus::standard : InputStatus::assumed;
    for (const auto name : names) {
      if (reader_.is_written(name)) {
        status = InputStatus::written;
      }
    }
    if (status == InputStatus::written) {
      assumption.clear();
    }
    workload_.inputs.push_back({key, std::move(value), status, std::move(assumption)});
  }

  void assumed(std::string_view key, std::string value, std::string why) {
    workload_.inputs.push_back({key, std::move(value), InputStatus::assumed, std::move(why)});
  }

  /// `source`: the profile's source; without one, assumed because of `why`.
  void profile(std::string_view key, std::string value, std::string source, std::string why) {
    const bool sourced = !source.empty();
    workload_.inputs.push_back({key,
                                std::move(value),
                                sourced ? InputStatus::profile : InputStatus::assumed,
                                sourced ? std::move(source) : std::move(why)});
  }

  void of_stack(std::string_view key, std::string value, std::string why) {
    workload_.inputs.push_back({key, std::move(value), InputStatus::written, std::move(why)});
  }

 private:
  const FieldReader& reader_;
  Workload& workload_;
};

/// Whether the trainer's settings say how long samples are: without a written seq_length; in
/// ms-swift's reinforcement learning, where max_length, the model's seq_length, limits their prompts;
/// and in slime, which packs samples of any length (slime/backends/megatron_utils/arguments.py:82).
bool trainer_decides_length(const FieldReader& reader) {
  const auto trainer = reader.text("raw.trainer");
  return reader.integer("raw.step_sequence") &&
         (!reader.is_written("model.seq_length") || trainer == "swift" || trainer == "slime");
}

bool low_precision(const Workload& workload) {
  return workload.precision != Precision::bf16;
}

void note_training(Notes& notes, const Workload& workload) {
  if (workload.architecture.experts.count > 0) {
    notes.field("routing",
                std::string(to_string(workload.routing.balance)),
                {"model.moe_router_force_load_balancing", "model.moe_expert_capacity_factor"},
                "no forced balancing and no capacity factor: loads as with a trained router");
  }
  notes.field(
      "optimizer_states",
      fmt::format("{} bytes per parameter",
                  workload.optimizer.main_weight + workload.optimizer.moments),
      {"optimizer.use_precision_aware_optimizer", "optimizer.exp_avg_dtype", "optimizer.optimizer"},
      "fp32 weights and moments, unless a precision-aware optimizer is set");
  notes.field("gradients",
              fmt::format("{} bytes per parameter", workload.optimizer.gradient),
              {"ddp.grad_reduce_in_fp32", "optimizer.main_grads_dtype", "mixed_precision"});
  if (deduplicates(workload.exchange.dispatcher)) {
    notes.field("dispatcher_sms",
                fmt::format("{}", workload.exchange.sms),
                {"model.moe_flex_dispatcher_num_sms",
                 "model.moe_deepep_num_sms",
                 "model.moe_hybridep_num_sms"});
  }
  notes.field("graphs",
              workload.graphs.any() ? "captured" : "none",
              {"model.cuda_graph_impl", "model.enable_cuda_graph", "model.external_cuda_graph"});
}

/// Whether a Bridge override file leaves a field to a library recipe.
bool is_open(const FieldReader& reader, std::string_view name) {
  const auto& recipe = reader.facts().recipe();
  return recipe.framework == recipe::Framework::bridge && recipe.model_class.empty() &&
         !reader.is_written(name);
}

/// Whether a kernel is fused. Library recipes fuse.
bool fuses(const FieldReader& reader, std::string_view name) {
  return is_open(reader, name) || reader.flag(name);
}

/// Whether the loss is made of the tokens' probabilities, which reinforcement learning and preference
/// optimization take from float32 copies of the logits.
bool takes_probabilities(const FieldReader& reader) {
  constexpr std::array<std::string_view, 4> kTrainers = {"verl", "roll", "slime", "nemo_rl"};
  const auto trainer = reader.text("raw.trainer");
  return trainer && std::ranges::find(kTrainers, *trainer) != kTrainers.end();
}

/// A Bridge override file leaves the loss to a library recipe, and those use TE's.
void decide_loss(const FieldReader& reader, Notes& notes, Kernels& kernels) {
  if (takes_probabilities(reader)) {
    notes.assumed("loss",
                  "on fp32 copies of the logits",
                  "the tokens' probabilities are taken from them, as in reinforcement learning");
    return;
  }
  const bool open = is_open(reader, "model.cross_entropy_loss_fusion");
  kernels.fused_loss = open || (reader.flag("model.cross_entropy_loss_fusion") &&
                                reader.text("model.cross_entropy_fusion_impl") == "te");
  kernels.compiled_loss = fuses(reader, "model.cross_entropy_loss_fusion");
  notes.field("loss",
              kernels.fused_loss ? "in the logits' memory" : "on fp32 copies of the logits",
              {"model.cross_entropy_loss_fusion"},
              open ? "library recipes compute the cross-entropy with TE's kernel" : "");
}

const recipe::Stack::Component* component(const FieldReader& reader, std::string_view name) {
  const auto* found = reader.facts().target().stack.find(name);
  return found != nullptr && found->version ? found : nullptr;
}

bool is_before(const recipe::Stack::Component& component, std::string_view version) {
  return *component.version < *units::Version::parse(version);
}

/// Which code multiplies queries and keys: Megatron-Core's own, or Transformer Engine's.
bool is_local(const FieldReader& reader) {
  return reader.text("model.transformer_impl") == "local" ||
         reader.text("model.attention_backend") == "local";
}

/// Whether attention computes in 16 bits, or nothing says that it does not.
bool computes_in_half(const FieldReader& reader) {
  const auto may_be = [&](std::string_view name) {
    const expr::Value value = reader.value(name);
    return value.is_unknown() || (value.is_known() && value.truthy());
  };
  const bool mixed =
      reader.is_set("mixed_precision") || reader.facts().has_section("mixed_precision").truthy();
  return may_be("d.bf16") || may_be("d.fp16") || (!mixed && is_open(reader, "model.bf16"));
}

/// Whether a softmax kernel reads the scores in their own type. Megatron-Core's takes up to 4096 keys
/// (fusions/fused_softmax.py), Transformer Engine's fewer than 16384 and no learnable softmax
/// (attention/dot_product_attention/softmax.py at v2.18).
bool has_softmax_kernel(const FieldReader& reader, const Workload& workload, bool local) {
  const int keys = workload.architecture.sequence;
  const int heads =
      workload.batch.micro * workload.architecture.attention.heads / workload.parallel.tensor;
  if (keys <= 16 || heads % 4 != 0 || workload.architecture.attention.learnable_softmax) {
    return false;
  }
  if (local) {
    return reader.flag("model.masked_softmax_fusion") && keys <= 4096 && keys % 4 == 0;
  }
  return reader.text("env.NVTE_MASKED_SOFTMAX_FUSION") != "0" && keys < 16384 && keys % 8 == 0;
}

/// What unfused attention stores a score: the softmax's result for its backward pass, in FP32 if no
/// kernel fuses it, with a copy for the product with the values; with dropout, its mask and result.
/// Transient are gradients in those types, and Megatron-Core's own buffer of scores.
StoredScores stored_scores(const FieldReader& reader, const Workload& workload, bool local) {
  const bool half = computes_in_half(reader);
  const double own = half ? 2 : 4;
  const bool kernel = half && has_softmax_kernel(reader, workload, local);
  const bool widened =
      half && !kernel && (!local || reader.flag("model.attention_softmax_in_fp32"));
  constexpr std::string_view kDropout = "model.attention_dropout";  // library recipes have none
  const bool drops = !is_open(reader, kDropout) && reader.number(kDropout).value_or(0) > 0;
  const double softmax = widened ? 4 : own;
  StoredScores scores;
  scores.kept = softmax + (widened || drops ? own : 0) + (drops ? 1 : 0);
  scores.transient = (kernel && !drops ? 1 : 2) * softmax + (local ? own : 0);
  return scores;
}

/// Heads of latent attention, whose two sizes differ, have no fused backward pass on Ampere before
/// Transformer Engine 2.17 pads them (rule layers/latent-attention-on-ampere).
bool lacks_latent_kernel(const FieldReader& reader, const Workload& workload) {
  const auto& latent = workload.architecture.latent;
  const auto* profile = reader.facts().target().hw;
  const int key = latent.head_dim + latent.rotary_dim;
  if (profile == nullptr || profile->compute_capability < 8 || profile->compute_capability >= 9 ||
      key <= 128 || key == latent.value_dim) {
    return false;
  }
  const auto* te = component(reader, "te");
  const auto core = reader.value("d.core");
  return te != nullptr
             ? is_before(*te, "2.17.0")
             : core.version() != nullptr && *core.version() < *units::Version::parse("0.19.0");
}

/// Attention that no fused kernel computes: by choice, or because there is none for its type or heads.
void decide_scores(const FieldReader& reader, Notes& notes, Workload& workload) {
  const bool local = is_local(reader);
  const bool refused =
      reader.text("env.NVTE_FLASH_ATTN") == "0" && reader.text("env.NVTE_FUSED_ATTN") == "0";
  if (local || refused || !computes_in_half(reader) ||
      reader.text("model.attention_backend") == "unfused" ||
      lacks_latent_kernel(reader, workload)) {
    workload.kernels.scores = stored_scores(reader, workload, local);
    notes.of_stack("attention_path", "unfused", "no fused kernel: the scores stay in memory");
  }
}

/// cuDNN's kernels hold a learnable softmax from 9.13.1 on (TransformerEngine's
/// common/fused_attn/fused_attn.cpp; its issue 2318 shows 9.10.2 falling back). Published runs on
/// later versions were as slow as before unless they captured whole iterations or exchanged with
/// NCCL-EP: the version excludes the fast path, and does not imply it.
void decide_attention(const FieldReader& reader, Notes& notes, Workload& workload) {
  constexpr std::string_view kFirst = "9.13.1";
  Kernels& kernels = workload.kernels;
  kernels.fused_softmax =
      workload.graphs.full_iteration || workload.exchange.dispatcher == Dispatcher::ncclep;
  const auto* cudnn = component(reader, "cudnn");
  if (cudnn != nullptr && is_before(*cudnn, kFirst)) {
    kernels.fused_softmax = false;
    kernels.scores = stored_scores(reader, workload, false);
    notes.of_stack(
        "attention_path",
        "unfused",
        fmt::format(
            "cuDNN {} ({}); fused from {} on", cudnn->version->text(), cudnn->source, kFirst));
    return;
  }
  notes.assumed("attention_path",
                kernels.fused_softmax ? "fused" : "unfused",
                "published runs with a learnable softmax are fast with full-iteration graphs or "
                "NCCL-EP only; --input attention_path=… would determine it");
}

/// One kernel chain for the experts needs Transformer Engine 2.14 (rule
/// stack/fused-experts-old-te).
void decide_experts(const FieldReader& reader, Notes& notes, Workload& workload) {
  constexpr std::string_view kFirst = "2.14.0";
  Kernels& kernels = workload.kernels;
  // Its kernels exist for block-scaled formats only (TransformerEngine's pull request 2622).
  const bool formats =
      workload.precision == Precision::mxfp8 || workload.precision == Precision::nvfp4;
  kernels.fused_experts = reader.flag("model.use_transformer_engine_op_fuser") ||
                          (workload.graphs.full_iteration && formats);
  if (reader.text("env.NVTE_CUTEDSL_FUSED_GROUPED_MLP") == "0") {
    kernels.fused_experts = false;
  }
  const auto* te = component(reader, "te");
  if (te != nullptr && is_before(*te, kFirst)) {
    kernels.fused_experts = false;
    notes.of_stack(
        "fused_experts",
        "off",
        fmt::format(
            "Transformer Engine {} ({}); on from {} on", te->version->text(), te->source, kFirst));
    return;
  }
  notes.field("fused_experts",
              kernels.fused_experts ? "on" : "off",
              {"model.use_transformer_engine_op_fuser"},
              "on with full-iteration graphs in MXFP8 and NVFP4");
}

/// Static buffers of graphs are reused from Transformer Engine 2.7 on
/// (_reuse_graph_input_output_buffers in Megatron-Core's cuda_graphs.py).
void decide_graph_buffers(const FieldReader& reader, Workload& workload) {
  const auto* te = component(reader, "te");
  workload.graphs.every_micro_batch = te != nullptr && is_before(*te, "2.7.0");
}

/// Experts' rows are padded to the multiple of a quantised format: by the router's map or by
/// HybridEP's permutation, otherwise by copies (Fp8Padding in Megatron-Core's experts.py).
bool copies_padding(const FieldReader& reader, const Workload& workload) {
  const bool padded = reader.flag("model.moe_router_padding_for_quantization") ||
                      reader.flag("model.moe_router_padding_for_fp8");
  const bool inside = workload.exchange.dispatcher == Dispatcher::hybridep ||
                      workload.exchange.dispatcher == Dispatcher::ncclep;
  return low_precision(workload) && !padded && !inside &&
         workload.routing.balance != Balance::dropped;
}

/// Kernels that a recipe fuses or not, and those of old releases of Transformer Engine (its pull
/// requests 1793 and 1934 in 2.6, 2019 in 2.7).
void decide_fusions(const FieldReader& reader, const Workload& workload, Kernels& kernels) {
  const auto positions = reader.text("model.position_embedding_type");
  const bool rotates = !positions || *positions != "none";
  kernels.fused_rope = !rotates || fuses(reader, "model.apply_rope_fusion");
  kernels.fused_residual = fuses(reader, "model.bias_dropout_fusion");
  kernels.fused_activation = fuses(reader, "model.bias_activation_fusion");
  kernels.fused_accumulation = fuses(reader, "model.gradient_accumulation_fusion");
  kernels.grouped_experts = fuses(reader, "model.moe_grouped_gemm");
  kernels.copies_padding = copies_padding(reader, workload);
  if (const auto* te = component(reader, "te")) {
    kernels.separate_allocations = is_before(*te, "2.6.0");
    kernels.separate_swizzle = is_before(*te, "2.7.0");
  }
}

/// The fused kernels arrived with the stacks that capture whole iterations.
void decide_kernels(const FieldReader& reader, Notes& notes, Workload& workload) {
  Kernels& kernels = workload.kernels;
  const bool recent = workload.graphs.full_iteration;
  kernels.fused_router = reader.flag("model.moe_router_fusion");
  decide_fusions(reader, workload, kernels);
  decide_graph_buffers(reader, workload);
  decide_loss(reader, notes, kernels);
  if (workload.architecture.attention.learnable_softmax) {
    decide_attention(reader, notes, workload);
  }
  decide_scores(reader, notes, workload);
  if (low_precision(workload)) {
    kernels.fp8_attention = reader.flag("model.fp8_dot_product_attention") || recent;
    notes.field("fp8_attention",
                kernels.fp8_attention ? "on" : "off",
                {"model.fp8_dot_product_attention"},
                "on with full-iteration graphs");
  }
  if (workload.architecture.experts.count > 0) {
    decide_experts(reader, notes, workload);
  }
}

/// Whether the dataset holds images, as far as its class tells.
bool has_images(const FieldReader& reader) {
  const auto kind = reader.text("d.dataset_kind").value_or("");
  constexpr std::array<std::string_view, 3> kKinds = {"VLM", "Energon", "Conversation"};
  return std::ranges::any_of(
      kKinds, [&](std::string_view name) { return kind.find(name) != std::string::npos; });
}

/// The images of a sequence, where the model has an encoder for them.
void note_vision(const FieldReader& reader, Notes& notes, Workload& workload) {
  VisionEncoder& vision = workload.architecture.vision;
  if (vision.layers == 0) {
    if (reader.flag("d.vlm")) {
      notes.assumed("vision", "no encoder of images", "its size is not in the recipe");
    }
    return;
  }
  constexpr std::string_view kKey = "image_tokens";
  constexpr double kShare = 0.25;  // of a sequence; nothing published tells
  const double merged = vision.merged();
  if (vision.images > 0) {
    notes.field(kKey,
                fmt::format("{:.0f} a sequence", vision.images * vision.patches / merged),
                {"dataset.image_size", "dataset.num_images"});
  } else if (has_images(reader)) {
    vision.images = 1;
    vision.patches = std::round(kShare * workload.architecture.sequence) * merged;
    notes.assumed(kKey,
                  fmt::format("{:.0f} a sequence", vision.patches / merged),
                  "a quarter of a sequence: the dataset's images are not known; --input "
                  "image_tokens=… states them");
  } else {
    notes.assumed(
        kKey, "none", "nothing says that the data has images; --input image_tokens=… states them");
  }
}

void note_machine(const FieldReader& reader, Notes& notes, const Workload& workload) {
  const auto* profile = reader.facts().target().hw;
  const auto* nic = profile == nullptr ? nullptr : profile->number("nic_bandwidth_per_gpu");
  if (workload.parallel.gpus > workload.machine.nvlink_domain) {
    notes.profile("nic_rate",
                  fmt::format("{:.0f} Gbit/s a GPU", workload.machine.nic_rate * 8e-9),
                  nic != nullptr && nic->status != hw::Status::assumed ? nic->source : "",
                  "the rate in the profile is an assumption: clusters differ");
  }
  notes.profile("cpu",
                workload.machine.cpu == Cpu::grace ? "grace" : "x86",
                profile == nullptr || profile->cpu.empty()
                    ? ""
                    : fmt::format("{}: {}", profile->name, profile->cpu),
                "the profile names no processor");
  const auto* domain = profile == nullptr ? nullptr : profile->number("nvlink_domain");
  const bool own = domain != nullptr && profile->nvlink_domain == workload.machine.nvlink_domain;
  notes.profile("nvlink_domain",
                fmt::format("{} GPUs", workload.machine.nvlink_domain),
                own ? domain->source : "",
                "jobs run on segments of 64 GPUs of a 72-GPU rack");
}

}  // namespace

void read_inputs(FieldReader& reader, Workload& workload) {
  Notes notes(reader, workload);
  const auto vocabulary = read_vocabulary_size(reader);
  if (!vocabulary.why.empty()) {
    notes.assumed("vocabulary", fmt::format("{} tokens", vocabulary.tokens), vocabulary.why);
  }
  if (trainer_decides_length(reader)) {
    notes.assumed("samples",
                  fmt::format("{} tokens each", workload.architecture.sequence),
                  "the longest that the trainer's settings allow; shorter ones make shorter steps");
    notes.assumed("step",
                  "one update of the optimizer",
                  "generation, log probabilities and the reference model are not part of it, and "
                  "are assumed to hold no memory meanwhile");
  }
  if (workload.precision == Precision::bf16 && reader.boolean("model.bf16") == false &&
      !reader.flag("model.fp16")) {
    notes.assumed("fp32",
                  "at the rates of BF16",
                  "products in FP32 or TF32 are not predicted: they take longer");
  }
  if (const auto method = reader.text("raw.reference_for")) {
    notes.assumed("reference",
                  "left out",
                  fmt::format("{} also keeps the weights of a reference model and runs it forward: "
                              "it needs more memory and time than this",
                              *method));
  }
  note_training(notes, workload);
  note_vision(reader, notes, workload);
  decide_kernels(reader, notes, workload);
  if (workload.parallel.tensor > 1) {
    notes.field("tensor_overlap",
                workload.parallel.tensor_overlap ? "on" : "off",
                {"model.tp_comm_overlap", "comm_overlap.tp_comm_overlap"});
  }
  note_machine(reader, notes, workload);
}

namespace {

constexpr int kMostMicrobatches = 1'000'000;

int positive(const FieldReader& reader, std::string_view name) {
  return std::max(1, reader.integer(name).value_or(1));
}

/// GPUs divided by the ranks of a replica. Lint rejects sizes that do not divide; with --force the
/// nearest possible number is used and reported.
int replicas(double ranks, std::string_view what, Workload& workload) {
  const int gpus = workload.parallel.gpus;
  const double found = gpus / ranks;
  const int result = std::max(1, clamped(std::floor(found)));
  if (gpus > 0 && found != result) {
    workload.inputs.push_back(
        {what,
         fmt::format("{}", result),
         InputStatus::assumed,
         fmt::format("{} GPUs do not divide into replicas of {} ranks", gpus, ranks)});
  }
  return result;
}

}  // namespace

void read_parallel(FieldReader& reader, Workload& workload) {
  Parallel& parallel = workload.parallel;
  parallel.gpus = reader.required("gpus", "the number of GPUs");
  parallel.tensor = positive(reader, "model.tensor_model_parallel_size");
  parallel.pipeline = positive(reader, "model.pipeline_model_parallel_size");
  parallel.virtual_stages = positive(reader, "d.VPP");
  parallel.context = positive(reader, "model.context_parallel_size");
  parallel.expert = positive(reader, "model.expert_model_parallel_size");
  parallel.expert_tensor = positive(reader, "d.ETP");
  parallel.chunk_group = std::max(1, reader.integer("d.vpp_group").value_or(parallel.pipeline));
  parallel.sequence = parallel.tensor > 1 && reader.flag("model.sequence_parallel");
  parallel.tensor_overlap = reader.flag("d.tp_overlap");
  const bool stated = reader.is_written("model.overlap_p2p_comm") ||
                      reader.is_written("comm_overlap.overlap_p2p_comm");
  parallel.transfers_overlap = !stated || reader.flag("model.overlap_p2p_comm");
  const double dense = static_cast<double>(parallel.tensor) * parallel.pipeline * parallel.context;
  const double expert =
      static_cast<double>(parallel.expert_tensor) * parallel.expert * parallel.pipeline;
  parallel.data = replicas(dense, "data_parallel", workload);
  parallel.expert_data = replicas(expert, "expert_data_parallel", workload);
}

namespace {

/// A field, or what the settings of a trainer make of it (recipe::TrainingStep) where it is not
/// written.
int given_or(FieldReader& reader,
             std::string_view field,
             std::string_view of_trainer,
             std::string_view what) {
  const bool written = reader.is_written(field) && reader.integer(field);
  const auto other = written ? std::nullopt : reader.integer(of_trainer);
  return other ? *other : reader.required(field, what);
}

}  // namespace

Batch read_batch(FieldReader& reader, const Parallel& parallel) {
  Batch batch;
  batch.micro =
      given_or(reader, "train.micro_batch_size", "raw.step_micro_batch", "the micro-batch size");
  const bool written = reader.is_written("train.global_batch_size");
  const auto of_rank = written ? std::nullopt : reader.integer("raw.step_rank_batch");
  batch.global = of_rank ? clamped(static_cast<double>(*of_rank) * parallel.data)
                         : given_or(reader,
                                    "train.global_batch_size",
                                    "raw.step_global_batch",
                                    "the global batch size");
  if (batch.micro > 0) {
    const double steps =
        static_cast<double>(batch.global) / (static_cast<double>(batch.micro) * parallel.data);
    batch.microbatches = std::max(1, clamped(std::round(steps)));
    if (batch.microbatches > kMostMicrobatches) {
      reader.problem(fmt::format("{} micro-batches per step exceed the limit for predictions",
                                 batch.microbatches),
                     fmt::format("correct {}", reader.spelled("train.global_batch_size")));
    }
  }
  return batch;
}

void read_chunks(FieldReader& reader, Workload& workload) {
  Parallel& parallel = workload.parallel;
  SplitRequest request;
  request.layers = static_cast<int>(workload.architecture.layers.size());
  request.prediction_depths = workload.architecture.prediction_depths;
  request.stages = parallel.pipeline;
  request.virtual_stages = parallel.virtual_stages;
  request.in_first_stage = reader.integer("model.num_layers_in_first_pipeline_stage");
  request.in_last_stage = reader.integer("model.num_layers_in_last_pipeline_stage");
  request.embedding_counts = reader.flag("model.account_for_embedding_in_pipeline_split");
  request.loss_counts = reader.flag("model.account_for_loss_in_pipeline_split");
  if (const auto layers = reader.integer("d.layers_per_chunk"); layers && *layers > 0) {
    request.virtual_stages = std::max(1, request.layers / request.stages / *layers);
  }
  constexpr double kMostChunks = 100'000;
  if (static_cast<double>(request.stages) * request.virtual_stages > kMostChunks) {
    reader.problem(fmt::format("{} stages of {} chunks exceed the limit for predictions",
                               request.stages,
                               request.virtual_stages),
                   fmt::format("correct {}", reader.spelled("model.pipeline_model_parallel_size")));
    return;
  }
  Input input{"pipeline_layout", "", InputStatus::written, ""};
  Split split;
  if (const auto layout = expr::read_layout(reader.value("d.layout")); layout) {
    split = read_split(*layout, request);
    input.value = "written";
  } else {
    if (workload.exchange.overlap && request.stages > 1 && request.virtual_stages == 1) {
      request.virtual_stages = std::max(1, (request.layers + request.stages / 2) / request.stages);
      input.why =
          "overlap needs virtual stages, which the recipe does not set: assuming one layer per "
          "chunk";
    }
    split = split_layers(request);
    input.value = split.assumed ? "as in published layouts" : "even";
    if (request.in_first_stage || request.in_last_stage) {
      input.value = "the sizes of the first and last stage";
    } else if (parallel.pipeline * request.virtual_stages > 1) {
      input.status = InputStatus::standard;
    }
  }
  if (!split.problem.empty()) {
    reader.problem(split.problem, "write a layout for all layers");
    return;
  }
  if (split.assumed || !input.why.empty()) {
    input.status = InputStatus::assumed;
    input.why = input.why.empty() ? "the layers do not divide into the chunks, and the recipe has "
                                    "no pipeline_model_parallel_layout"
                                  : input.why;
  }
  parallel.chunks = split.chunks;
  parallel.virtual_stages = static_cast<int>(split.chunks.size()) / parallel.pipeline;
  if (parallel.chunks.size() > 1) {
    workload.inputs.push_back(input);
  }
}

Machine read_machine(FieldReader& reader) {
  Machine machine;
  const auto* profile = reader.facts().target().hw;
  if (profile == nullptr) {
    reader.problem("the hardware is unknown", "pass --hw");
    return machine;
  }
  const auto figure = [&](std::string_view key) {
    const auto* number = profile->number(key);
    return number == nullptr ? 0.0 : number->value.value;
  };
  machine.gpus_per_node = profile->gpus_per_node;
  machine.nvlink_domain = profile->nvlink_domain == 72 ? 64 : profile->nvlink_domain;
  machine.nvlink_domain = std::max(1, machine.nvlink_domain);
  // The driver keeps about a hundredth: 79.1 GiB of an H100's 80 are free, 178.3 of a B200's 180.
  constexpr double kOfDriver = 0.989;
  const auto* memory = profile->number("memory");
  const bool whole = memory != nullptr && memory->status == hw::Status::datasheet;
  machine.memory = figure("memory") * (whole ? kOfDriver : 1);
  machine.nic_rate = figure("nic_bandwidth_per_gpu");
  machine.cpu = profile->cpu.starts_with("arm64") ? Cpu::grace : Cpu::x86;
  return machine;
}

namespace {

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

/// Momentum alone, or also a second moment. (Muon keeps Adam's for embeddings, which is little.)
int moments_of(std::string_view kind) {
  const bool one = kind == "sgd" || kind == "lion" || kind == "muon" || kind == "dist_muon";
  return one ? 1 : 2;
}

/// Whether FP8 products take operands in either layout (is_non_tn_fp8_gemm_supported in Transformer
/// Engine's utils.py at v2.18: not on Ada, Hopper and the small Blackwell).
bool has_both_layouts(double capability) {
  return (capability >= 10 && capability < 12) || capability >= 13;
}

/// TE keeps quantised weights in both layouts, in addition to the BF16 ones unless these are
/// replaced by them: Megatron-Core tells it the first micro-batch, so that they stay for the others and
/// for the next step. Tensor-wise FP8 needs the transposed copy only where products want it. A scale
/// belongs to 128 × 128 weights of block-wise FP8, and to 32 or 16 of the others.
double weight_bytes(Precision precision, bool replaced, const hw::Profile* profile) {
  const bool single = profile != nullptr && has_both_layouts(profile->compute_capability);
  const double kept = replaced ? 0 : 2;
  switch (precision) {
    case Precision::bf16:
      break;
    case Precision::fp8_tensor:
      return kept + (single ? 1 : 2);
    case Precision::fp8_block:
      return kept + 2 * (1 + 4.0 / (128 * 128));
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

namespace {

/// "8" → 8; 0 for any other text.
int natural(std::string_view text) {
  constexpr std::size_t kDigits = 6;
  const bool digits = !text.empty() && text.size() <= kDigits &&
                      text.find_first_not_of("0123456789") == std::string_view::npos;
  return digits ? std::stoi(std::string(text)) : 0;
}

/// NVSHMEM_SYMMETRIC_SIZE, a number with a suffix of powers of 1024 ("3.1M"); 1 GiB by default.
double static_heap(const FieldReader& reader) {
  const auto text = reader.text("env.NVSHMEM_SYMMETRIC_SIZE").value_or("1G");
  double number = 0;
  const auto [rest, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc()) {
    return units::kGiB;
  }
  constexpr std::string_view kSuffixes = " kmgt";
  const char suffix = rest == text.data() + text.size() ? ' ' : text::lower_letter(*rest);
  const auto power = kSuffixes.find(suffix);
  return power == std::string_view::npos ? number
                                         : std::ldexp(number, 10 * static_cast<int>(power));
}

}  // namespace

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
  exchange.permute_fusion = fuses(reader, "model.moe_permute_fusion");
  exchange.overlap = reader.flag("d.ep_overlap");
  exchange.delayed_wgrad = reader.flag("d.dwg");
  exchange.shared_expert_overlap = reader.flag("model.moe_shared_expert_overlap");
  exchange.wgrad_beside_dispatch =
      reader.flag("model.overlap_dispatch_backward_with_experts_wgrad");
  exchange.one_queue = reader.text("env.CUDA_DEVICE_MAX_CONNECTIONS") == "1";
  if (reader.text("env.NVSHMEM_DISABLE_CUDA_VMM").value_or("0") != "0") {
    exchange.static_heap = static_heap(reader);
  }
  if (exchange.dispatcher == Dispatcher::hybridep) {
    exchange.nvlink_ranks =
        natural(reader.text("env.NUM_OF_HYBRID_EP_RANKS_PER_NVLINK_DOMAIN").value_or(""));
  }
  return exchange;
}

Routing read_routing(const FieldReader& reader) {
  Routing routing;
  routing.capacity = reader.number("d.capacity_factor").value_or(0);
  routing.rank_capacity =
      std::max(1.0, reader.number("model.moe_expert_rank_capacity_factor").value_or(1));
  if (routing.rank_capacity > 1) {
    routing.stash = reader.number("d.stash_pages").value_or(0);
  }
  if (routing.capacity > 0) {
    routing.balance = Balance::dropped;
    routing.padded = reader.flag("model.moe_pad_expert_input_to_capacity");
    routing.even = reader.flag("model.moe_router_force_load_balancing");
  } else if (reader.flag("model.moe_router_force_load_balancing")) {
    routing.balance = Balance::forced;
  }
  return routing;
}

Graphs read_graphs(const FieldReader& reader) {
  Graphs graphs;
  const auto how = reader.text("d.captured_impl").value_or("none");
  if (how == "none") {
    return graphs;
  }
  if (how == "full_iteration") {
    graphs.full_iteration = true;
    return graphs;
  }
  const auto modules = reader.texts("d.mods_after_auto");
  graphs.whole_layers = modules.empty();
  graphs.attention = text::is_one_of("attn", modules);
  graphs.mamba = text::is_one_of("mamba", modules);
  graphs.dense_mlp = text::is_one_of("mlp", modules);
  graphs.experts = text::is_one_of("moe", modules);
  graphs.router = text::is_one_of("moe_router", modules);
  graphs.preprocess = text::is_one_of("moe_preprocess", modules);
  return graphs;
}

Recompute read_recompute(const FieldReader& reader) {
  Recompute recompute;
  // verl releases the probabilities (its pull request 5251), Megatron-Core does not (its pull request
  // 5227, rule recompute/inputs-kept-by-dispatcher).
  recompute.inputs_stay = reader.text("raw.trainer") != "verl";
  if (reader.text("d.gran") == "full") {
    recompute.full = true;
    recompute.block = reader.text("model.recompute_method") == "block";
    recompute.interval = std::max(1, reader.integer("model.recompute_num_layers").value_or(1));
    return recompute;
  }
  const auto modules = reader.texts("d.recompute");
  recompute.core_attention = text::is_one_of("core_attn", modules);
  recompute.norms = text::is_one_of("layernorm", modules);
  recompute.latent_projections = text::is_one_of("mla_up_proj", modules);
  recompute.expert_activation = text::is_one_of("moe_act", modules);
  recompute.experts = text::is_one_of("moe", modules);
  recompute.dense_mlp = text::is_one_of("mlp", modules);
  recompute.shared_expert = text::is_one_of("shared_experts", modules);
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
  offload.attention_norm = text::is_one_of("attn_norm", modules);
  offload.queries_keys_values = text::is_one_of("qkv_linear", modules);
  offload.core_attention = text::is_one_of("core_attn", modules);
  offload.attention_projection = text::is_one_of("attn_proj", modules);
  offload.feed_forward_norm = text::is_one_of("mlp_norm", modules);
  offload.expert_input = text::is_one_of("expert_fc1", modules);
  offload.expert_activation = text::is_one_of("moe_act", modules);
  return offload;
}

Optimizer read_optimizer(const FieldReader& reader, Precision precision, int hidden) {
  Optimizer optimizer;
  if (reader.facts().has_section("peft").truthy()) {
    // Two matrices of the rank next to each frozen one.
    const int rank = std::max(1, reader.integer("peft.dim").value_or(32));
    optimizer.trained = std::min(1.0, 2.0 * rank / std::max(1, hidden));
  }
  if (reader.flag("model.freeze_language_model") ||
      (reader.value("raw.vision_layers").is_number() && reader.flag("raw.language_frozen"))) {
    optimizer.trained = 0;
  }
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
  // Bridge's own default applies only if neither the file nor a preset decides.
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
  optimizer.open = reader.facts().recipe().framework == recipe::Framework::bridge &&
                   reader.facts().recipe().model_class.empty() &&
                   !reader.is_written("optimizer.use_precision_aware_optimizer") &&
                   !reader.is_written("ddp.grad_reduce_in_fp32");
  optimizer.host_overlap = reader.flag("optimizer.overlap_cpu_optimizer_d2h_h2d");
  if (reader.flag("optimizer.optimizer_cpu_offload")) {
    optimizer.host_fraction =
        std::clamp(reader.number("optimizer.optimizer_offload_fraction").value_or(1), 0.0, 1.0);
  }
  return optimizer;
}

Sharding read_sharding(const FieldReader& reader) {
  if (reader.flag("dist.use_torch_fsdp2")) {
    return Sharding::weights;
  }
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

namespace {

/// "every n-th layer is the other kind" as a number, or one entry per layer as a list.
bool follows(const expr::Value& frequency, int layer, bool otherwise) {
  if (frequency.list() != nullptr) {
    const auto& list = *frequency.list();
    const auto index = static_cast<std::size_t>(layer);
    return index < list.size() ? list[index].is_known() && list[index].truthy() : otherwise;
  }
  if (frequency.is_known() && frequency.is_number() && frequency.as_number() >= 1) {
    return (layer + 1) % clamped(frequency.as_number()) != 0;
  }
  return otherwise;
}

int positive_or(const FieldReader& reader, std::string_view name, int otherwise) {
  const auto found = reader.integer(name);
  return found && *found > 0 ? *found : otherwise;
}

GroupedAttention read_attention(FieldReader& reader, int hidden) {
  GroupedAttention attention;
  attention.heads = reader.required("model.num_attention_heads", "the number of attention heads");
  attention.groups = positive_or(reader, "model.num_query_groups", attention.heads);
  attention.head_dim =
      positive_or(reader, "model.kv_channels", hidden / std::max(1, attention.heads));
  attention.output_gate = reader.flag("model.attention_output_gate");
  const auto window = reader.value("model.window_size");
  if (window.list() != nullptr && !window.list()->empty() && window.list()->front().is_number()) {
    attention.window = std::max(0, clamped(window.list()->front().as_number()) + 1);
  } else if (window.is_known() && window.is_number()) {
    attention.window = std::max(0, clamped(window.as_number()));
  }
  const auto softmax = reader.text("model.softmax_type");
  attention.learnable_softmax =
      softmax && reader.is_written("model.softmax_type")
          ? *softmax == "learnable"
          : attention.window > 0 && reader.is_set("model.window_attn_skip_freq");
  return attention;
}

LatentAttention read_latent(FieldReader& reader) {
  LatentAttention latent;
  latent.query_rank = positive_or(reader, "model.q_lora_rank", 0);
  latent.key_value_rank = reader.required("model.kv_lora_rank", "the KV LoRA rank");
  latent.head_dim = reader.required("model.qk_head_dim", "the head dimension of latent attention");
  latent.rotary_dim =
      reader.required("model.qk_pos_emb_head_dim", "the rotary dimension of a latent head");
  latent.value_dim = reader.required("model.v_head_dim", "the value dimension of latent attention");
  return latent;
}

DeltaNet read_delta_net(FieldReader& reader) {
  DeltaNet net;
  net.key_heads =
      reader.required("model.linear_num_key_heads", "the number of key heads of gated delta net");
  net.value_heads = reader.required("model.linear_num_value_heads",
                                    "the number of value heads of gated delta net");
  net.key_dim =
      reader.required("model.linear_key_head_dim", "the key dimension of gated delta net");
  net.value_dim =
      reader.required("model.linear_value_head_dim", "the value dimension of gated delta net");
  net.convolution = positive_or(reader, "model.linear_conv_kernel_dim", 4);
  return net;
}

Mamba read_mamba(FieldReader& reader, int hidden) {
  Mamba mamba;
  mamba.head_dim = reader.required("model.mamba_head_dim", "the head dimension of Mamba");
  // Without a number of heads, the inner width is twice the hidden size.
  mamba.heads =
      reader.integer("model.mamba_num_heads").value_or(2 * hidden / std::max(1, mamba.head_dim));
  mamba.state = reader.required("model.mamba_state_dim", "the state dimension of Mamba");
  mamba.groups = reader.required("model.mamba_num_groups", "the number of groups of Mamba");
  return mamba;
}

Experts read_experts(FieldReader& reader) {
  Experts experts;
  experts.count = reader.integer("model.num_moe_experts").value_or(0);
  if (experts.count <= 0) {
    return {};
  }
  experts.topk = std::min(experts.count, positive_or(reader, "model.moe_router_topk", 1));
  experts.ffn = positive_or(reader, "model.moe_ffn_hidden_size", 0);
  if (experts.ffn == 0) {
    experts.ffn = reader.required("model.ffn_hidden_size", "the FFN hidden size of an expert");
  }
  experts.shared_ffn = positive_or(reader, "model.moe_shared_expert_intermediate_size", 0);
  experts.latent = positive_or(reader, "model.moe_latent_size", 0);
  experts.shared_gate = experts.shared_ffn > 0 && reader.flag("model.moe_shared_expert_gate");
  experts.limit_groups = positive_or(reader, "model.moe_router_num_groups", 0);
  experts.limit_kept = positive_or(reader, "model.moe_router_group_topk", 0);
  return experts;
}

std::vector<Layer> pattern_layers(FieldReader& reader, std::string_view pattern) {
  std::vector<Layer> layers;
  for (const char letter : pattern) {
    switch (letter) {
      case 'M':
        layers.push_back({Mixer::mamba, FeedForward::none});
        break;
      case '*':
        layers.push_back({Mixer::attention, FeedForward::none});
        break;
      case 'G':
        layers.push_back({Mixer::delta_net, FeedForward::none});
        break;
      case '-':
        layers.push_back({Mixer::none, FeedForward::dense});
        break;
      case 'E':
        layers.push_back({Mixer::none, FeedForward::experts});
        break;
      case '|':
        break;
      default:
        reader.problem(
            fmt::format("the hybrid pattern has a layer `{}` that cannot be predicted", letter),
            "only M, *, G, - and E can be predicted");
    }
  }
  return layers;
}

std::vector<Layer> uniform_layers(FieldReader& reader, const Architecture& model) {
  constexpr int kMostLayers = 100'000;
  const int count = reader.required("model.num_layers", "the number of layers");
  if (count > kMostLayers) {
    reader.problem(fmt::format("{} layers exceed the limit for predictions", count),
                   fmt::format("correct {}", reader.spelled("model.num_layers")));
    return {};
  }
  const auto expert_frequency = reader.value("d.layer_pattern");
  const auto window_frequency = reader.value("model.window_attn_skip_freq");
  const auto linear_frequency = reader.value("model.linear_attention_freq");
  const bool latent = reader.flag("model.multi_latent_attention");
  const bool delta = reader.flag("d.delta_net");
  std::vector<Layer> layers;
  for (int i = 0; i < count; ++i) {
    Layer layer;
    layer.mixer = latent ? Mixer::latent : Mixer::attention;
    if (delta && follows(linear_frequency, i, false)) {
      layer.mixer = Mixer::delta_net;
    } else if (!latent && model.attention.window > 0 && follows(window_frequency, i, true)) {
      layer.mixer = Mixer::windowed;
    }
    const bool experts = model.experts.count > 0 && follows(expert_frequency, i, true);
    layer.feed_forward = experts ? FeedForward::experts : FeedForward::dense;
    layers.push_back(layer);
  }
  return layers;
}

/// MTP repeats a layer of the last kind with full attention.
std::vector<Layer> prediction_layers(const std::vector<Layer>& layers) {
  if (layers.empty()) {
    return {};
  }
  Layer layer = layers.back();
  if (layer.mixer == Mixer::windowed || layer.mixer == Mixer::delta_net) {
    layer.mixer = Mixer::attention;
  }
  return {layer};
}

/// Sparse attention has no published figures, and a guess would look like a prediction.
void refuse_unknown_mixers(FieldReader& reader) {
  const auto variant = reader.text("d.attention_variant");
  if (variant && !variant->empty() && *variant != "none" && !reader.flag("d.delta_net")) {
    reader.problem(fmt::format("attention of kind `{}` cannot be predicted", *variant),
                   "only softmax, latent, sliding-window and delta-net attention and Mamba-2 can");
  }
}

void read_layers(FieldReader& reader, Architecture& model) {
  refuse_unknown_mixers(reader);
  model.prediction_depths = std::min(1000, positive_or(reader, "model.mtp_num_layers", 0));
  const auto pattern = reader.text("d.hybrid_pattern");
  if (!pattern || pattern->empty()) {
    model.layers = uniform_layers(reader, model);
    model.prediction = prediction_layers(model.layers);
    return;
  }
  const auto slash = pattern->find('/');
  model.layers = pattern_layers(reader, std::string_view(*pattern).substr(0, slash));
  if (slash != std::string::npos) {
    const auto rest = std::string_view(*pattern).substr(slash + 1);
    model.prediction = pattern_layers(reader, rest.substr(0, rest.find('/')));
  } else {
    model.prediction = {{Mixer::attention, FeedForward::none}, {Mixer::none, FeedForward::experts}};
  }
}

bool has(const Architecture& model, Mixer mixer) {
  return std::ranges::find(model.layers, mixer, &Layer::mixer) != model.layers.end() ||
         std::ranges::find(model.prediction, mixer, &Layer::mixer) != model.prediction.end();
}

double fact(const FieldReader& reader, std::string_view name) {
  const expr::Value value = reader.value(name);
  if (value.list() != nullptr && !value.list()->empty() && value.list()->front().is_number()) {
    return value.list()->front().as_number();  // a size for each side
  }
  return value.is_known() && value.is_number() ? value.as_number() : 0;
}

/// The pictures of a synthetic dataset, or nothing: other datasets hold what nobody has stated.
void read_images(const FieldReader& reader, VisionEncoder& vision) {
  const expr::Value size = reader.value("dataset.image_size");
  const auto* sides = size.list();
  const auto count = reader.integer("dataset.num_images");
  if (sides == nullptr || sides->size() != 2 || !count) {
    return;
  }
  const double tile = static_cast<double>(vision.patch) * vision.merge;  // images fill whole ones
  double tokens = 1;
  for (const expr::Value& side : *sides) {
    tokens *= side.is_number() ? std::max(1.0, std::round(side.as_number() / tile)) : 0;
  }
  vision.images = std::clamp(*count, 0, kLargest);
  vision.patches = tokens * vision.merged();
}

/// Nothing without an encoder of images whose size is known.
VisionEncoder read_vision(const FieldReader& reader) {
  constexpr double kMost = 100'000;
  const auto size = [&](std::string_view name) {
    return static_cast<int>(std::clamp(fact(reader, name), 0.0, kMost));
  };
  VisionEncoder vision;
  vision.hidden = size("raw.vision_hidden");
  vision.heads = std::max(1, size("raw.vision_heads"));
  vision.ffn = size("raw.vision_ffn");
  if (vision.ffn == 0) {
    vision.ffn = clamped(fact(reader, "raw.vision_ffn_ratio") * vision.hidden);
  }
  vision.patch = std::max(1, size("raw.vision_patch"));
  vision.merge = std::max(1, size("raw.vision_merge"));
  const expr::Value taps = reader.value("raw.vision_taps");
  vision.projections = 1 + (taps.list() != nullptr ? static_cast<int>(taps.list()->size()) : 0);
  vision.gated = reader.text("raw.vision_activation") == "silu";
  vision.split = reader.flag("raw.vision_split") && !reader.flag("model.use_hf_vision_model");
  vision.shared = reader.flag("model.vision_dp_when_cp");
  const bool adapters = reader.facts().has_section("peft").truthy();
  vision.frozen =
      adapters || reader.flag("model.freeze_vision_model") || reader.flag("raw.vision_frozen");
  vision.projection_frozen = adapters || reader.flag("model.freeze_vision_projection") ||
                             reader.flag("raw.projection_frozen");
  vision.layers = vision.hidden > 0 && vision.ffn > 0 ? size("raw.vision_layers") : 0;
  if (vision.layers == 0) {
    return {};
  }
  read_images(reader, vision);
  return vision;
}

/// A Bridge override file leaves the choice to a library recipe; large MoE models do not tie
/// embeddings.
bool read_tied(const FieldReader& reader) {
  constexpr std::string_view kName = "model.share_embeddings_and_output_weights";
  const auto& recipe = reader.facts().recipe();
  const bool decided = recipe.framework == recipe::Framework::mlm || !recipe.model_class.empty() ||
                       reader.is_written(kName);
  return decided && reader.flag(kName);
}

int read_sequence(FieldReader& reader) {
  if (trainer_decides_length(reader)) {
    return reader.required("raw.step_sequence", "the length of a sample");
  }
  for (const auto* name : {"model.seq_length", "dataset.sequence_length", "dataset.seq_length"}) {
    if (const auto found = reader.integer(name); found && *found > 0) {
      return *found;
    }
  }
  return reader.required("model.seq_length", "the sequence length");
}

}  // namespace

Architecture read_architecture(FieldReader& reader, int tensor) {
  Architecture model;
  model.hidden = reader.required("model.hidden_size", "the hidden size");
  model.sequence = read_sequence(reader);
  model.gated = reader.flag("d.gated");
  model.dense_ffn = std::max(0, reader.integer("model.ffn_hidden_size").value_or(0));
  model.vocab = read_vocabulary_size(reader).tokens;
  const double multiple =
      std::max(1.0, reader.number("model.make_vocab_size_divisible_by").value_or(128)) *
      std::max(1, tensor);
  model.padded_vocab = clamped(std::ceil(model.vocab / multiple) * multiple);
  model.tied_embeddings = read_tied(reader);
  model.attention = read_attention(reader, model.hidden);
  model.experts = read_experts(reader);
  read_layers(reader, model);
  if (has(model, Mixer::latent)) {
    model.latent = read_latent(reader);
  }
  if (has(model, Mixer::delta_net)) {
    model.delta_net = read_delta_net(reader);
  }
  if (has(model, Mixer::mamba)) {
    model.mamba = read_mamba(reader, model.hidden);
  }
  const bool dense = std::ranges::find(model.layers, FeedForward::dense, &Layer::feed_forward) !=
                     model.layers.end();
  if (dense && model.dense_ffn <= 0) {
    model.dense_ffn =
        reader.required("model.ffn_hidden_size", "the FFN hidden size of a dense layer");
  }
  model.vision = read_vision(reader);
  return model;
}

}  // namespace epwise::workload
