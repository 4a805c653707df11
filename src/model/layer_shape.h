#pragma once

#include <vector>

#include "model/workload.h"

/// The matrix products of a layer as one rank runs them in one micro-batch.
namespace epwise::model {

/// y(rows × out) = x(rows × in) · W: the forward product. The gradient of its input is rows × in
/// over out, that of its weight out × in over rows; each costs as many FLOPs.
struct MatrixProduct {
  double rows = 0;  // of each group
  double out = 0;
  double in = 0;
  int groups = 1;  // products of this shape that run as one: local experts

  /// Of the forward product: 2 · groups · rows · out · in.
  double flops() const { return 2.0 * groups * rows * out * in; }
};

/// Projections of a mixer, without its core. `group_tokens()` rows where tensor parallelism divides
/// the width, `tokens()` where it does not (down-projections of latent attention).
///   Qwen3-30B, 4096 tokens, TP 1 → {4096 × 5120 over 2048}, {4096 × 2048 over 4096}
std::vector<MatrixProduct> mixer_products(const Workload& workload, Mixer mixer);

/// Forward FLOPs of the core of softmax attention on one rank: half of the square, or the window.
/// Zero for other mixers. A backward pass takes 2.5 times as many with a recomputed score matrix.
double core_attention_flops(const Workload& workload, Mixer mixer);

std::vector<MatrixProduct> dense_mlp_products(const Workload& workload);
std::vector<MatrixProduct> shared_expert_products(const Workload& workload);

/// Two grouped products; rows of each local expert under equal loads.
std::vector<MatrixProduct> expert_products(const Workload& workload);

/// Logits of one depth, over the padded vocabulary.
MatrixProduct head_product(const Workload& workload);

}  // namespace epwise::model
