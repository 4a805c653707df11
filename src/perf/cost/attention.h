#pragma once

#include "perf/cost/table.h"

namespace epwise::cost {

enum class AttentionKernels : std::uint8_t { by_chip, transformer_engine, cudnn };

/// Core attention, without projections.
struct Attention {
  Format format = Format::bf16;
  double heads = 0;
  double head_dim_qk = 0;
  double head_dim_v = 0;
  double seq = 0;
  double batch = 1;
  bool causal = true;
  double window = 0;  // sliding window; 0: none
  bool backward = false;
  AttentionKernels kernels = AttentionKernels::by_chip;  // Blackwell: TE, otherwise cuDNN
};

/// FLOP = 2 pairs (dqk + dv) heads batch, 2.5 times that backward; causal pairs are seq²/2.
/// TE: t = tf + p4(F / (peak e), k critical path of one block of 256 queries), stretched by
/// 1 + th ln(1 + t / 1 ms) forward (power). cuDNN: F over a rate with 1/rate = 1/r + c/seq.
///
///   attention(table, b200, {.heads = 128, .head_dim_qk = 192, .head_dim_v = 128, .seq = 4096})
///
/// Rows: causal, one sequence, 4096 to 131072 tokens.
Cost attention(const Table& table, const Chip& chip, const Attention& shape);

}  // namespace epwise::cost
