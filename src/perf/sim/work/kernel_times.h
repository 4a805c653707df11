#pragma once

#include "perf/cost/gemm.h"
#include "perf/cost/parameters.h"
#include "perf/sim/work/machine.h"
#include "perf/sim/work/work.h"
#include "perf/workload/workload.h"

namespace epwise::sim {

/// Core attention of all heads of one rank.
struct AttentionShape {
  double heads = 0;
  double head_dim_qk = 0;
  double head_dim_v = 0;
  double seq = 0;
  double tokens = 0;
  double window = 0;  // sliding window; 0: none
  bool backward = false;
};

/// Seconds of single kernels on one machine: the cost laws, evaluated for training. Combinations of
/// laws and factors that no law provides come from the table of constants.
class KernelTimes {
 public:
  /// Results are added to `tally`, if there is one.
  KernelTimes(const Machine& machine, const Constants& constants, LawTally* tally = nullptr)
      : machine_(machine),
        constants_(constants),
        tally_(tally) {}

  /// Without quantisation of its input. MXFP8 lies between 8 bit and block-scaled 8 bit: the mean
  /// of both laws.
  double gemm(workload::Precision precision, double m, double n, double k) const;

  /// All GEMMs of local experts, `rows` per group. `fused`: one persistent kernel, otherwise one
  /// GEMM per expert, or the dense rate if experts are large enough to reach it.
  double grouped_gemm(workload::Precision precision,
                      cost::GemmStage stage,
                      double groups,
                      double rows,
                      double n,
                      double k,
                      bool fused) const;

  double attention(const AttentionShape& shape) const;

  /// One pass of 2 bytes per score of an unfused learnable softmax.
  double scores(double tokens, double heads, double sequence) const;

  /// Memory-bound kernels by the bytes they stream; without launch.
  double elementwise(double bytes) const { return memory(cost::MemoryKernel::elementwise, bytes); }

  double norm(double bytes) const { return memory(cost::MemoryKernel::norm, bytes); }

  double permute(double bytes) const { return memory(cost::MemoryKernel::permute, bytes); }

  double cross_entropy(double bytes) const {
    return memory(cost::MemoryKernel::cross_entropy, bytes);
  }

  double quantise(double bytes) const;

  const Constants& constants() const { return constants_; }

  /// Scans of Mamba and gated delta nets scale with SMs, not with memory.
  double scan(double bytes) const;

  /// Gate, top-k, map and losses, which scale with tokens and SMs: (10 + 0.1 experts) ns per token
  /// on 148 SMs.
  double router(double tokens, double experts) const;

  /// All-gather or reduce-scatter of `bytes` over tensor-parallel ranks.
  double all_gather(double bytes, int ranks) const;

  /// The same over ranks whose neighbours are `stride` GPUs apart: correspondingly fewer of them
  /// share an NVLink domain.
  double strided_all_gather(double bytes, int ranks, int stride) const;

 private:
  double memory(cost::MemoryKernel kernel, double bytes) const;
  double law_gemm(cost::Format format, double m, double n, double k) const;

  /// The seconds, tallied.
  double told(Law law, const cost::Cost& cost) const;

  const Machine& machine_;
  const Constants& constants_;
  LawTally* tally_;
};

}  // namespace epwise::sim
