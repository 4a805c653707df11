#pragma once

#include "model/parameters.h"
#include "model/workload.h"

/// What a GPU keeps of its parameters from step to step.
namespace epwise::model {

/// Bytes of one GPU of a stage.
struct StateBytes {
  double weights = 0;
  double gradients = 0;
  double optimizer = 0;           // main weights and moments, less what stands in host memory
  double step_transient = 0;      // copies that only the optimizer's step makes
  double backward_transient = 0;  // the dense gradient of an input embedding

  double total() const { return weights + gradients + optimizer; }
};

/// Weights and gradients of every parameter; main weights and moments divided by the replicas where
/// the optimizer is distributed (dense: data · context, experts: expert_data), and by them too what
/// Megatron-FSDP shards. Embeddings stay in BF16, whatever the matrices are kept in.
///   Qwen3-30B on 16 GPUs with EP 16: 1.541e9 dense and 1.812e9 expert parameters, 18 bytes over 16
///   and 1 replicas, fp32 gradients → 40.06 GiB
StateBytes state_bytes(const Workload& workload, int stage);

/// The same for parameters that are counted already.
StateBytes state_bytes(const Workload& workload, int stage, const RankParameters& parameters);

}  // namespace epwise::model
