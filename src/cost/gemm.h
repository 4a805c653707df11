#pragma once

#include <span>

#include "cost/table.h"

/// Matrix products. Source of the forms: least squares on published kernel tables
/// (hwprofiles/costlaws/*.yaml name them), chosen by leaving shapes out.
namespace epwise::cost {

/// C[m,n] = A[m,k] B[k,n].
struct Gemm {
  Format format = Format::bf16;
  double m = 0;
  double n = 0;
  double k = 0;
  bool transformer_engine = false;  // called through TE's linear layer
  bool quantise = true;             // price the quantisation of A with it (8 and 4 bit formats)
  double sms = 0;                   // left to it by others; 0: all
};

/// t = t0 + max(2mnk pad (1 + k0/k) / (peak eff fill), bytes / (share of memory)) + pq m k, with
/// partial 64x64 tiles padded and `fill` the root of 128x64 tiles over SMs where those are fewer.
///
///   gemm(table, h100, {.m = 4096, .n = 4096, .k = 4096}) → 177 us, sd 0.053, fitted
///
/// Holds for the shapes in the parameters' range; beyond it extrapolated, with a wider deviation. A
/// chip or format without rows takes its neighbour's: prior.
Cost gemm(const Table& table, const Chip& chip, const Gemm& shape);

/// FLOP/s of the format's tensor cores by the datasheet, in TFLOP/s; bf16's where there are none.
double peak_of(const Chip& chip, Format format);

/// Parameters of a format on a chip, or the nearest there are.
struct GemmChoice {
  const GemmParameters* parameters = nullptr;
  double relative_sd = 0;
  Status status = Status::prior;
};

GemmChoice choose_gemm(const Table& table, const Chip& chip, Format format, bool te);

enum class GemmStage : std::uint8_t { forward, data_gradient, weight_gradient };

/// One product per local expert, all of one layer.
struct GroupedGemm {
  Format format = Format::bf16;
  double groups = 0;
  double rows_per_group = 0;
  std::span<const double> rows = {};  // of each group, where they differ; then the two above rest
  double n = 0;
  double k = 0;
  GemmStage stage = GemmStage::forward;
  bool persistent = false;  // one kernel over all groups, else TE's one product a group
  bool accumulate = true;   // a weight gradient adds to its FP32 buffer, else overwrites it
  bool quantise = false;
};

/// TE: t = hypot(tg groups, F / (peak eff) + cb bytes / memory): launches on several streams floor
/// it at some 6.5 us a group. Persistent: t = t0 + p4(F pad128 (1 + k0/k) / (peak eff), cw bytes /
/// memory), p4 the power sum of power_sum.h.
///
///   grouped_gemm(table, b200, {.groups = 8, .rows_per_group = 4096, .n = 4096, .k = 7168})
Cost grouped_gemm(const Table& table, const Chip& chip, const GroupedGemm& shape);

}  // namespace epwise::cost
