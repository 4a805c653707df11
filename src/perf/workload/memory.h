#pragma once

#include <span>
#include <vector>

#include "perf/workload/parameters.h"
#include "perf/workload/workload.h"

/// Peak memory of a training step.

namespace epwise::workload {

/// Peak bytes of one GPU of a pipeline stage.
struct StageMemory {
  double weights = 0;
  double gradients = 0;
  double optimizer = 0;
  double activations = 0;  // of all micro-batches in flight
  double loss = 0;         // logits and tensors derived from them
  double transient = 0;    // transient: gradients of a layer, copies for the optimizer
  double graphs = 0;       // static inputs of captured parts
  double buffers = 0;      // of the dispatcher, outside the framework's allocator
  int chunks_in_flight = 0;

  /// The peak of allocated memory as reported by the framework.
  double allocated() const {
    return weights + gradients + optimizer + activations + loss + transient + graphs;
  }
};

/// Including allocator fragmentation, buffers, context and communicators.
double needed(const StageMemory& memory);

struct MemoryEstimate {
  std::vector<StageMemory> stages;
  int fullest = 0;       // index of the stage with the highest need
  double allocated = 0;  // bytes of that stage, as reported by the framework
  double needed = 0;     // including allocator fragmentation, buffers, context and communicators
  double deviation = 0;  // relative standard deviation of `allocated`
  /// Needed with 2-byte gradients and moments, if a library recipe decides on them; 0 otherwise.
  double lighter = 0;
};

/// Per stage the maximum over four moments: the forward pass of the last chunk in flight with the
/// loss (or a layer's gradients and recomputed activations), the end of a chunk's backward pass where
/// recomputed experts hold their inputs (see lingering_bytes), the backward pass into the embedding,
/// and the optimizer step. Allocator fragmentation is 5 % (4.8 ± 1.8 % on 43
/// published runs), context and communicators 3 GiB.
MemoryEstimate estimate_memory(const Workload& workload);

/// Probability that `needed` exceeds a GPU's memory, with a normally distributed error of the
/// estimate. If a library recipe decides on the types of the states, a mean of the probabilities
/// with either. Only meaningful if the memory size is known.
///   out_of_memory({.needed = 70 GiB, .deviation = 0.05}, 80 GiB) → 0.002
double out_of_memory(const MemoryEstimate& estimate, double capacity);

}  // namespace epwise::workload

/// Activations that the forward pass of a layer keeps for its backward pass.

namespace epwise::workload {

/// Bytes of one micro-batch on one GPU.
struct LayerActivations {
  double saved = 0;       // from the forward to the backward pass
  double recomputed = 0;  // recomputed for the backward pass of this layer
  double transient = 0;   // gradients alive at one time in its backward pass
};

/// Tensors kept by a layer, for Megatron-Core with Transformer Engine. N tokens per rank, N_g per
/// tensor-parallel group, n heads per rank, b bytes per BF16 value, q bytes per value as the GEMMs
/// keep their inputs (2; 1 in FP8, 0.56 in NVFP4):
///   norms       b·N·h before each half, and its output q·N·h (b before experts, whose router
///               reads it as well)
///   attention   b·N_g·n(d(2 + 2g)) of projections with g = groups/heads, as much again of rotated
///               queries and keys, output and log-sum-exp
///   latent      4·N(r_q + r_kv) + b·N·d_r of compressed values and their norms, b·N_g·n(2(d+d_r) +
///               2d_v) of queries, keys, values and output
///   Mamba-2     projections, output of the scan and of the gated norm
///   delta net   projections, convolution, output of the scan and the gated norm
///   scores      2 to 9 bytes · N_g·n·S where no fused kernel computes attention (by choice, in FP32,
///               for a learnable softmax or heads of a latent size), and keys and values of all heads
///   router      13·N·E of scores, probabilities and maps
///   experts     q·rows·w of dispatched tokens, b·rows·(m − 1)f before and q·rows·f after the
///               activation, w the width of a dispatched token, m the MLP's matrices
///   dense, shared   the same with their rows
/// With natural routing the most loaded rank has 10 % more rows than the mean; static buffers of
/// moe_expert_rank_capacity_factor keep all of their rows, with a paged stash those of its pages.
/// Recomputed and offloaded activations are subtracted.
///   DeepSeek-V3 layer, 4096 tokens, BF16 → 1.75 GiB; Qwen3-30B → 0.44 GiB
LayerActivations layer_activations(const Workload& workload, const Layer& layer);

/// Bytes of a layer's balanced rows that a paged stash (moe_paged_stash) copies into its pages: the
/// experts' input, both sides of their activation.
double stashed_bytes(const Workload& workload);

/// What an encoder of images keeps of a micro-batch, all of its layers together: none of them where it
/// is frozen, their inputs only under full recomputation, and three times its output for a projection
/// that is trained or passes gradients on.
LayerActivations vision_activations(const Workload& workload);

/// A layer that only keeps its input: b·N·h.
double checkpoint_bytes(const Workload& workload);

/// Bytes that one MTP depth or the end of the model keeps for the loss, per micro-batch.
struct LossActivations {
  double saved = 0;
  double transient = 0;  // while the loss is computed
};

/// TE's cross-entropy overwrites the BF16 logits; others keep fp32 logits in addition to them and
/// their gradient: 2 + 2 or 4 + 4 bytes per logit, plus the input of the logits with its norm.
LossActivations loss_activations(const Workload& workload);

/// Bytes that a flex dispatcher allocates itself, outside the framework's allocator, for R ranks with
/// E experts each in D domains of r ranks, N tokens a rank of width w:
///   HybridEP   N·R·(2w + 4E·r + w/32) in case that all tokens go to one rank, and with several
///              domains N·(2w + 4E·R + w/32) to send and N·(D − 1)·(3·(2w + 4E·r) + w/32) to exchange
///   DeepEP     SMs/2 channels · ranks of a node · 256 tokens or more of 2w + 2056 bytes; between nodes
///              also twice SMs/2 · nodes · 128 tokens or more, in NVSHMEM's heap, which grows by
///              512 MiB or has a fixed size
///   NCCL-EP    as HybridEP
/// 0 for all-to-all and all-gather.
///   DeepSeek-V3, EP 64 in one domain, 4096 tokens, HybridEP → 3.76e9 + 0.27e9 + 0.06e9
double dispatch_buffer_bytes(const Workload& workload);

}  // namespace epwise::workload

/// The number of rows processed by experts, and their imbalance.

namespace epwise::workload {

struct ExpertLoad {
  int local_experts = 0;  // per rank
  // processed by a rank's experts per micro-batch: tokens() · topk, times the ranks that slice an
  // expert, each of which gets all of its tokens
  double rows = 0;
  double rows_per_expert = 0;
  double padded_rows = 0;  // with a static capacity: size of buffers and kernels
};

/// With equal loads.
///   Qwen3-30B (128 experts, topk 8), 4096 tokens per rank, EP 16 → 8 local experts, 32768 rows, 4096
///   per expert
ExpertLoad expert_load(const Workload& workload);

}  // namespace epwise::workload

/// The number of micro-batches that a pipeline stage holds between the forward and backward pass of
/// its chunks.

namespace epwise::workload {

/// The order in which a stage runs its chunks, as far as it affects memory.
struct FlightPlan {
  int stages = 1;          // P
  int virtual_stages = 1;  // V
  int group = 1;           // micro-batches that a chunk runs before the next one
  int microbatches = 1;
  bool overlap = false;  // combined 1F1B: one more warm-up chunk
};

FlightPlan flight_plan(const Workload& workload);

/// Chunk forwards before the first backward of the stage: all of them with a single stage; P − 1 −
/// s without virtual stages; 2(P − 1 − s) + (V − 1)G with them, plus one with overlap. Never more
/// than exist.
int warm_up_chunks(const FlightPlan& plan, int stage);

/// Chunks held at the peak: one more than the warm-up. With overlap the next chunk replaces the
/// previous one layer by layer, so the number stays that of the warm-up.
///   P 8, V 4, G 8, 64 micro-batches: stage 0 → 39, stage 7 → 25; the same with overlap
int chunks_in_flight(const FlightPlan& plan, int stage);

/// Bytes held at the peak if virtual stages keep different amounts: replays the first rounds of the
/// schedule, after which it repeats.
double peak_of_chunks(const FlightPlan& plan, int stage, std::span<const double> chunk_bytes);

}  // namespace epwise::workload

/// Persistent state of parameters on a GPU.

namespace epwise::workload {

/// Bytes of one GPU of a stage.
struct StateBytes {
  double weights = 0;
  double gradients = 0;
  double optimizer = 0;           // main weights and moments, except those in host memory
  double step_transient = 0;      // copies that exist only during the optimizer step
  double backward_transient = 0;  // the dense gradient of an input embedding

  double total() const { return weights + gradients + optimizer; }
};

/// Weights and gradients of every parameter; main weights and moments divided by the replicas if
/// the optimizer is distributed (dense: data · context, experts: expert_data), as is everything
/// that Megatron-FSDP shards. Embeddings stay in BF16, whatever the format of the matrices.
///   Qwen3-30B on 16 GPUs with EP 16: 1.541e9 dense and 1.812e9 expert parameters, 18 bytes over 16
///   and 1 replicas, fp32 gradients → 40.06 GiB
StateBytes state_bytes(const Workload& workload, int stage);

/// The same for given parameter counts.
StateBytes state_bytes(const Workload& workload, int stage, const RankParameters& parameters);

}  // namespace epwise::workload
