#include "model/workload_inputs.h"

#include <string>
#include <utility>

#include <fmt/core.h>

#include "model/vocabulary_size.h"

namespace epwise::model {

namespace {

class Notes {
 public:
  Notes(const FieldReader& reader, Workload& workload) : reader_(reader), workload_(workload) {}

  /// Written where one of the fields is.
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

  /// `source`: where the profile has it from; without one, assumed because of `why`.
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

bool low_precision(const Workload& workload) {
  return workload.precision != Precision::bf16;
}

void note_training(Notes& notes, const Workload& workload) {
  if (workload.architecture.experts.count > 0) {
    notes.field("routing",
                std::string(to_string(workload.routing.balance)),
                {"model.moe_router_force_load_balancing", "model.moe_expert_capacity_factor"},
                "no forced balance and no capacity: loads as a trained router makes them");
  }
  notes.field(
      "optimizer_states",
      fmt::format("{} bytes a parameter",
                  workload.optimizer.main_weight + workload.optimizer.moments),
      {"optimizer.use_precision_aware_optimizer", "optimizer.exp_avg_dtype", "optimizer.optimizer"},
      "fp32 weights and moments, where no precision-aware optimizer is written");
  notes.field("gradients",
              fmt::format("{} bytes a parameter", workload.optimizer.gradient),
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

/// A Bridge file of overrides leaves the loss to a library recipe, and those use TE's.
void decide_loss(const FieldReader& reader, Notes& notes, Kernels& kernels) {
  const auto& recipe = reader.facts().recipe();
  const bool open = recipe.framework == recipe::Framework::bridge && recipe.model_class.empty() &&
                    !reader.is_written("model.cross_entropy_loss_fusion");
  kernels.fused_loss = open || (reader.flag("model.cross_entropy_loss_fusion") &&
                                reader.text("model.cross_entropy_fusion_impl") == "te");
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

/// A learnable softmax runs inside cuDNN's kernels from 9.13.1 on (TransformerEngine's
/// common/fused_attn/fused_attn.cpp; its issue 2318 shows 9.10.2 falling back). No rows bind it:
/// the assumption below does where the stack does not say.
void decide_attention(const FieldReader& reader, Notes& notes, Workload& workload) {
  constexpr std::string_view kFirst = "9.13.1";
  Kernels& kernels = workload.kernels;
  const auto text = [&] { return kernels.fused_softmax ? "fused" : "unfused"; };
  if (const auto* cudnn = component(reader, "cudnn"); cudnn != nullptr) {
    kernels.fused_softmax = !is_before(*cudnn, kFirst);
    notes.of_stack(
        "attention_path",
        text(),
        fmt::format(
            "cuDNN {} ({}); fused from {} on", cudnn->version->text(), cudnn->source, kFirst));
    return;
  }
  kernels.fused_softmax =
      workload.graphs.full_iteration || workload.exchange.dispatcher == Dispatcher::ncclep;
  notes.assumed("attention_path",
                text(),
                "a learnable softmax runs fused on stacks with full-iteration graphs or NCCL-EP; "
                "--stack cudnn=… would tell");
}

/// One kernel chain for the experts needs Transformer Engine 2.14 (rule
/// stack/fused-experts-old-te).
void decide_experts(const FieldReader& reader, Notes& notes, Workload& workload) {
  constexpr std::string_view kFirst = "2.14.0";
  Kernels& kernels = workload.kernels;
  kernels.fused_experts =
      reader.flag("model.use_transformer_engine_op_fuser") || workload.graphs.full_iteration;
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
              "on with full-iteration graphs");
}

/// The fused kernels came with the stacks that capture whole iterations.
void decide_kernels(const FieldReader& reader, Notes& notes, Workload& workload) {
  Kernels& kernels = workload.kernels;
  const bool recent = workload.graphs.full_iteration;
  decide_loss(reader, notes, kernels);
  if (workload.architecture.attention.learnable_softmax) {
    decide_attention(reader, notes, workload);
  }
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

void note_machine(const FieldReader& reader, Notes& notes, const Workload& workload) {
  const auto* profile = reader.facts().target().hw;
  const auto* nic = profile == nullptr ? nullptr : profile->number("nic_bandwidth_per_gpu");
  if (workload.parallel.gpus > workload.machine.nvlink_domain) {
    notes.profile("nic_rate",
                  fmt::format("{:.0f} Gbit/s a GPU", workload.machine.nic_rate * 8e-9),
                  nic != nullptr && nic->status != hw::Status::assumed ? nic->source : "",
                  "the profile's rate is an assumption: clusters differ");
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
                "jobs run in segments of 64 GPUs of a rack of 72");
}

}  // namespace

void read_inputs(FieldReader& reader, Workload& workload) {
  Notes notes(reader, workload);
  const auto vocabulary = read_vocabulary_size(reader);
  if (!vocabulary.why.empty()) {
    notes.assumed("vocabulary", fmt::format("{} tokens", vocabulary.tokens), vocabulary.why);
  }
  note_training(notes, workload);
  decide_kernels(reader, notes, workload);
  if (workload.parallel.tensor > 1) {
    notes.field("tensor_overlap",
                workload.parallel.tensor_overlap ? "on" : "off",
                {"model.tp_comm_overlap", "comm_overlap.tp_comm_overlap"});
  }
  note_machine(reader, notes, workload);
}

}  // namespace epwise::model
