#pragma once

#include "model/workload.h"

/// What the forward pass of a layer leaves for its backward pass.
namespace epwise::model {

/// Bytes of one micro-batch on one GPU.
struct LayerActivations {
  double saved = 0;       // from the forward to the backward pass
  double recomputed = 0;  // what recompute brings back for the backward pass of this layer
  double transient = 0;   // gradients that its backward pass has at a time
};

/// Kept tensors of a layer, by Megatron-Core with Transformer Engine. N tokens of a rank, N_g of
/// its tensor-parallel group, n heads of a rank, b bytes of a BF16 value, q bytes of a value as the
/// GEMMs keep their inputs (2; 1 in FP8, 0.56 in NVFP4):
///   norms       b·N·h before each half, and its output q·N·h (b before experts, whose router
///               reads it as well)
///   attention   b·N_g·n(d(2 + 2g)) of projections with g = groups/heads, as much again of rotated
///               queries and keys, output and log-sum-exp
///   latent      4·N(r_q + r_kv) + b·N·d_r of compressed values and their norms, b·N_g·n(2(d+d_r) +
///               2d_v) of queries, keys, values and output
///   Mamba-2, delta net   projections, convolution, output of the scan and the gated norm
///   router      13·N·E of scores, probabilities and maps
///   experts     q·rows·w of dispatched tokens, b·rows·(m − 1)f before and q·rows·f behind the
///               activation, w the width of a dispatched token, m the MLP's matrices
///   dense, shared   the same with their rows
/// Under natural routing the fullest rank holds a tenth more rows than the mean.
/// Less what is recomputed or offloaded.
///   a DeepSeek-V3 layer, 4096 tokens, BF16 → 1.75 GiB; Qwen3-30B → 0.44 GiB
LayerActivations layer_activations(const Workload& workload, const Layer& layer);

/// A layer whose input alone is kept: b·N·h.
double checkpoint_bytes(const Workload& workload);

/// What one prediction depth or the end of the model keeps for the loss, in bytes of a micro-batch.
struct LossActivations {
  double saved = 0;
  double transient = 0;  // while the loss is computed
};

/// TE's cross-entropy overwrites the BF16 logits; others keep fp32 ones beside them and their
/// gradient: 2 + 2 or 4 + 4 bytes a logit, and the input of the logits with its norm.
LossActivations loss_activations(const Workload& workload);

}  // namespace epwise::model
