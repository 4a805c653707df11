#pragma once

#include "perf/workload/architecture.h"

/// FLOPs of training: two per multiply-add, three times the forward pass, no recompute, causal
/// attention counted as half. This is the convention of Megatron-Bridge's published TFLOP/s figures
/// (facts/evidence.md §2), which omits routers, norms and biases.
namespace epwise::workload {

/// FLOPs of one token through the mixer of a layer, forward and backward.
///   attention:  6(h(q + 2kv [+ q with a gate]) + qh + qs), q = heads · head_dim, s = sequence
///   windowed:   the same with 2c for s, c = W − W(W−1)/2s, the average number of visible keys
///   latent:     6(r_q(h + n(d+d_r) + 1) + r_kv(h + n(d+d_v) + 1) + h·d_r + n·d_v·h
///               + s·n(d+d_r+d_v)/2)
///   delta net:  6(h(2k + 2v + 2n_v) + conv(2k + v) + 4n_v·d_v² + hv)
///   Mamba-2:    3(2h(4h + 2·groups·state + heads) + 14h·state + 4h²): its inner width counts as 2h
///               regardless of the heads
double mixer_flops(const Architecture& model, Mixer mixer);

/// FLOPs of one token through the MLP or the experts of a layer: 6 · matrices · width · h, experts
/// topk times and on the latent width, with the two projections to it.
double feed_forward_flops(const Architecture& model, FeedForward feed_forward);

/// FLOPs of one token through the whole model including MTP depths and all logits. Each depth adds
/// its layers, 6(3h + 2h²) for its norms and projection (omitted by the convention for hybrid
/// models), and one more logits GEMM.
///   DeepSeek-V3 at 4096 with one MTP depth → 259.99e9
double flops_per_token(const Architecture& model);

}  // namespace epwise::workload
