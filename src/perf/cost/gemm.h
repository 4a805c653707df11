#pragma once

#include <span>

#include "perf/cost/table.h"

/// GEMMs. The forms are least-squares fits to published kernel tables (named in
/// hwprofiles/costlaws/*.yaml), selected by leave-one-shape-out validation.

namespace epwise::cost {

/// C[m,n] = A[m,k] B[k,n].
struct Gemm {
  Format format = Format::bf16;
  double m = 0;
  double n = 0;
  double k = 0;
  bool transformer_engine = false;  // called through TE's linear layer
  bool quantise = true;             // include the quantisation of A (8 and 4 bit formats)
  double sms = 0;                   // SMs available to it; 0: all
};

/// t = t0 + max(2mnk pad (1 + k0/k) / (peak eff fill), bytes / (share of memory)) + pq m k, with
/// partial 64x64 tiles padded and `fill` the root of 128x64 tiles over SMs where those are fewer.
///
///   gemm(table, h100, {.m = 4096, .n = 4096, .k = 4096}) → 177 us, sd 0.053, fitted
///
/// Valid for shapes in the parameters' range; extrapolated beyond it, with a larger deviation. A
/// chip or format without rows uses those of a similar one: prior.
Cost gemm(const Table& table, const Chip& chip, const Gemm& shape);

/// Datasheet tensor-core throughput of the format in TFLOP/s; that of bf16 if the format has none.
double peak_of(const Chip& chip, Format format);

/// Parameters of a format on a chip, or of the most similar one.
struct GemmChoice {
  const GemmParameters* parameters = nullptr;
  double relative_sd = 0;
  Status status = Status::prior;
};

GemmChoice choose_gemm(const Table& table, const Chip& chip, Format format, bool te);

enum class GemmStage : std::uint8_t { forward, data_gradient, weight_gradient };

/// One GEMM per local expert, all of one layer.
struct GroupedGemm {
  Format format = Format::bf16;
  double groups = 0;
  double rows_per_group = 0;
  // rows per group if they differ; the two fields above are then unused
  std::span<const double> rows = {};
  double n = 0;
  double k = 0;
  GemmStage stage = GemmStage::forward;
  bool persistent = false;  // one kernel for all groups, otherwise TE's one GEMM per group
  // a weight gradient accumulates into its FP32 buffer, otherwise overwrites it
  bool accumulate = true;
  bool quantise = false;
};

/// TE: t = hypot(tg groups, F / (peak eff) + cb bytes / memory): launches on several streams give a
/// lower bound of about 6.5 us per group. Persistent: t = t0 + p4(F pad128 (1 + k0/k) / (peak eff),
/// cw bytes / memory), p4 the power sum of power_sum.h.
///
///   grouped_gemm(table, b200, {.groups = 8, .rows_per_group = 4096, .n = 4096, .k = 7168})
Cost grouped_gemm(const Table& table, const Chip& chip, const GroupedGemm& shape);

}  // namespace epwise::cost
