#include "perf/sim/work/kernel_times.h"

#include <algorithm>
#include <cmath>

#include "perf/cost/attention.h"
#include "perf/cost/collective.h"
#include "perf/cost/memory_bound.h"

namespace epwise::sim {

namespace {

using cost::Format;
using workload::Precision;

Format format_of(Precision precision) {
  switch (precision) {
    case Precision::bf16:
      return Format::bf16;
    case Precision::fp8_tensor:
    case Precision::mxfp8:
      return Format::fp8;
    case Precision::fp8_block:
      return Format::fp8_block;
    case Precision::nvfp4:
      return Format::nvfp4;
  }
  return Format::bf16;
}

}  // namespace

double KernelTimes::told(Law law, const cost::Cost& cost) const {
  if (tally_ != nullptr) {
    tally_->add(law, cost);
  }
  return cost.seconds;
}

double KernelTimes::law_gemm(Format format, double m, double n, double k) const {
  cost::Gemm shape;
  shape.format = format;
  shape.m = std::max(1.0, std::trunc(m));
  shape.n = std::max(1.0, std::trunc(n));
  shape.k = std::max(1.0, std::trunc(k));
  shape.quantise = false;
  return told(Law::dense, cost::gemm(*machine_.laws, machine_.chip, shape));
}

double KernelTimes::gemm(Precision precision, double m, double n, double k) const {
  if (precision == Precision::mxfp8) {
    return 0.5 * (law_gemm(Format::fp8, m, n, k) + law_gemm(Format::fp8_block, m, n, k));
  }
  return law_gemm(format_of(precision), m, n, k);
}

double KernelTimes::grouped_gemm(Precision precision,
                                 cost::GemmStage stage,
                                 double groups,
                                 double rows,
                                 double n,
                                 double k,
                                 bool fused) const {
  cost::GroupedGemm shape;
  shape.format = format_of(precision);
  shape.groups = groups;
  shape.rows_per_group = rows;
  shape.n = n;
  shape.k = k;
  shape.stage = stage;
  shape.persistent = fused;
  const double grouped =
      told(Law::grouped, cost::grouped_gemm(*machine_.laws, machine_.chip, shape));
  const bool weights = stage == cost::GemmStage::weight_gradient;
  const double single = weights ? gemm(precision, n, k, rows) : gemm(precision, rows, n, k);
  // A weight gradient reads and writes its FP32 buffer and a BF16 weight is 2 bytes: 6 in all.
  const double accumulation = weights ? elementwise(6.0 * groups * n * k) : 0;
  return std::min(grouped, groups * single + accumulation);
}

double KernelTimes::attention(const AttentionShape& shape) const {
  constexpr double kSmallHead = 64;
  cost::Attention law;
  law.heads = shape.heads;
  law.head_dim_qk = shape.head_dim_qk;
  law.head_dim_v = shape.head_dim_v;
  law.seq = shape.seq;
  law.batch = shape.tokens / shape.seq;
  law.window = shape.window;
  law.backward = shape.backward;
  law.kernels = cost::AttentionKernels::cudnn;
  const double small =
      machine_.blackwell ? constants_.small_head_blackwell : constants_.small_head_hopper;
  const double factor = shape.head_dim_qk <= kSmallHead ? small : 1;
  return factor * told(Law::attention, cost::attention(*machine_.laws, machine_.chip, law));
}

double KernelTimes::scores(double tokens, double heads, double sequence) const {
  return elementwise(tokens * heads * std::min(sequence, constants_.softmax_span) * kBf16);
}

double KernelTimes::quantise(double bytes) const {
  return bytes / (machine_.memory_rate * constants_.share_quantise);
}

double KernelTimes::scan(double bytes) const {
  return bytes / (machine_.sms * constants_.scan_rate);
}

double KernelTimes::router(double tokens, double experts) const {
  constexpr double kToken = 10e-9;
  constexpr double kExpert = 0.1e-9;
  constexpr double kReferenceSms = 148;
  return tokens * (kToken + kExpert * experts) * kReferenceSms / machine_.sms;
}

double KernelTimes::all_gather(double bytes, int ranks) const {
  return strided_all_gather(bytes, ranks, 1);
}

double KernelTimes::strided_all_gather(double bytes, int ranks, int stride) const {
  cost::Collective call;
  call.kind = cost::CollectiveKind::all_gather;
  call.bytes = bytes;
  call.ranks = ranks;
  call.nvlink_domain = std::max(1, machine_.domain / stride);
  return told(Law::collective, cost::collective(*machine_.laws, machine_.chip, call));
}

double KernelTimes::memory(cost::MemoryKernel kernel, double bytes) const {
  return told(Law::memory, cost::memory_bound(*machine_.laws, machine_.chip, kernel, bytes, 0));
}

}  // namespace epwise::sim
