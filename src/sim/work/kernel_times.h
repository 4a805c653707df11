#pragma once

#include "cost/gemm.h"
#include "cost/parameters.h"
#include "model/workload.h"
#include "sim/work/law_spread.h"
#include "sim/work/machine.h"

namespace epwise::sim {

/// Core attention of all heads of one rank.
struct AttentionShape {
  double heads = 0;
  double head_dim_qk = 0;
  double head_dim_v = 0;
  double seq = 0;
  double tokens = 0;
  double window = 0;  // tokens that one sees; 0: all
  bool backward = false;
};

/// Seconds of single kernels on one machine: the cost laws, asked as training asks them. Mixes of
/// laws and shares that no law holds come from the table of constants.
class KernelTimes {
 public:
  /// Answers are added to `tally`, where there is one.
  KernelTimes(const Machine& machine, const Constants& constants, LawTally* tally = nullptr)
      : machine_(machine),
        constants_(constants),
        tally_(tally) {}

  /// Without the quantisation of its input. MXFP8 lies between 8 bit and block-scaled 8 bit: the
  /// mean of both laws.
  double gemm(model::Precision precision, double m, double n, double k) const;

  /// All products of local experts, `rows` a group. `fused`: one persistent kernel, else a product
  /// an expert, or the dense rate where experts are large enough to reach it.
  double grouped_gemm(model::Precision precision,
                      cost::GemmStage stage,
                      double groups,
                      double rows,
                      double n,
                      double k,
                      bool fused) const;

  double attention(const AttentionShape& shape) const;

  /// Memory-bound kernels by what they stream; without launch.
  double elementwise(double bytes) const { return memory(cost::MemoryKernel::elementwise, bytes); }

  double norm(double bytes) const { return memory(cost::MemoryKernel::norm, bytes); }

  double permute(double bytes) const { return memory(cost::MemoryKernel::permute, bytes); }

  double cross_entropy(double bytes) const {
    return memory(cost::MemoryKernel::cross_entropy, bytes);
  }

  double quantise(double bytes) const;

  /// Scans of Mamba and gated delta nets go with SMs, not with memory.
  double scan(double bytes) const;

  /// Gate, top-k, map and losses, which go with tokens and SMs: (10 + 0.1 experts) ns a token on
  /// 148.
  double router(double tokens, double experts) const;

  /// All-gather or reduce-scatter of `bytes` over tensor-parallel ranks.
  double all_gather(double bytes, int ranks) const;

  /// The same over ranks of which neighbours are `stride` GPUs apart: so many fewer of them share
  /// an NVLink domain.
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
