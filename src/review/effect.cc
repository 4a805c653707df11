#include "review/effect.h"

#include <algorithm>
#include <array>

namespace epwise::review {

namespace {

/// Names that begin so, hold this, or are it.
struct Class {
  enum class Match : std::uint8_t { begins, holds, is };
  Match match;
  std::string_view text;
  Effect effect;
};

using enum Class::Match;
using enum Effect;

/// The first that fits counts.
constexpr std::array kClasses = {
    Class{is, "checkpoint.load", training},
    Class{is, "checkpoint.pretrained_checkpoint", training},
    Class{is, "checkpoint.finetune", training},
    Class{holds, "load_optim", training},
    Class{holds, "load_rng", training},
    Class{begins, "checkpoint.", neutral},
    Class{begins, "logger.", neutral},
    Class{begins, "profiling.", neutral},
    Class{begins, "straggler.", neutral},
    Class{begins, "ft.", neutral},
    Class{begins, "inprocess_restart.", neutral},
    Class{begins, "nvrx_straggler.", neutral},
    Class{begins, "validation.", neutral},
    Class{begins, "tensor_inspect.", neutral},
    Class{begins, "mlm.log_", neutral},
    Class{begins, "mlm.tensorboard", neutral},
    Class{begins, "mlm.wandb", neutral},
    Class{is, "train.eval_interval", neutral},
    Class{is, "train.eval_iters", neutral},
    Class{begins, "env.NCCL_DEBUG", neutral},
    Class{begins, "env.HF_", neutral},
    Class{begins, "env.WANDB", neutral},
    Class{begins, "env.", performance},
    Class{begins, "comm_overlap.", performance},
    Class{begins, "dist.", performance},
    Class{is, "ddp.grad_reduce_in_fp32", training},
    Class{is, "ddp.check_for_nan_in_grad", neutral},
    Class{is, "ddp.average_in_collective", training},
    Class{begins, "ddp.", performance},
    Class{is, "train.micro_batch_size", performance},
    Class{holds, "manual_gc", performance},
    Class{holds, "empty_unused_memory", performance},
    Class{holds, "_parallel", performance},
    Class{holds, "pipeline", performance},
    Class{holds, "virtual_stages", performance},
    Class{holds, "dispatcher", performance},
    Class{holds, "deepep", performance},
    Class{holds, "hybridep", performance},
    Class{holds, "num_sms", performance},
    Class{holds, "fusion", performance},
    Class{holds, "fused", performance},
    Class{holds, "recompute", performance},
    Class{holds, "cuda_graph", performance},
    Class{holds, "overlap", performance},
    Class{holds, "wgrad", performance},
    Class{holds, "grouped_gemm", performance},
    Class{holds, "offload", performance},
    Class{holds, "tp_comm", performance},
    Class{holds, "attention_backend", performance},
    Class{holds, "distributed_optimizer", performance},
    Class{holds, "symmetric", performance},
    Class{holds, "num_workers", performance},
    Class{holds, "persistent_workers", performance},
    Class{holds, "pin_memory", performance},
    Class{holds, "_timeout", neutral},
};

bool fits(const Class& each, std::string_view field) {
  switch (each.match) {
    case begins:
      return field.starts_with(each.text);
    case holds:
      return field.find(each.text) != std::string_view::npos;
    case is:
      break;
  }
  return field == each.text;
}

}  // namespace

std::string_view to_string(Effect effect) {
  switch (effect) {
    case neutral:
      return "neutral";
    case performance:
      return "performance";
    case training:
      return "training-changing";
    case legality:
      break;
  }
  return "legality-changing";
}

Effect effect_of(std::string_view field) {
  const auto found = std::find_if(
      kClasses.begin(), kClasses.end(), [field](const Class& each) { return fits(each, field); });
  return found == kClasses.end() ? training : found->effect;
}

}  // namespace epwise::review
