#pragma once

#include "perf/cost/table.h"

namespace epwise::cost {

/// The expert layer of one rank at inference: both GEMMs, activation, permutation, quantisation;
/// balanced routing.
struct MoeForward {
  Format format = Format::bf16;
  double tokens = 0;  // of the whole expert-parallel group
  double topk = 0;
  double experts = 0;
  double ranks = 1;  // expert-parallel
  double hidden = 0;
  double inter = 0;  // FFN hidden size of one expert
  bool gated = true;
  MoeKernels kernels = MoeKernels::cutlass;
};

/// t = t0 + hypot(F pad128 kf / (peak eff), cw weights / memory) + ct tokens + ca rows, the last
/// two as bytes over memory speed; kf = 1 + k0/k, averaged over the products. `ct` prices that each
/// rank touches all tokens of the group. Source: published inference tables
/// (hwprofiles/costlaws/moe_forward.yaml). Other machines and kernels: the nearest there are,
/// prior.
Cost moe_forward(const Table& table, const Chip& chip, const MoeForward& layer);

}  // namespace epwise::cost
