#pragma once

#include "model/workload.h"
#include "sim/work/kernel_times.h"
#include "sim/work/sizes.h"
#include "sim/work/work.h"

/// Pieces of a layer around its mixer, and of the ends of the model. Launch counts are those of the
/// eager path of Megatron-Core with Transformer Engine, read off its sources.
namespace epwise::sim {

/// Norm in front of the MLP, gate, top-k, map, auxiliary losses; the projections of latent experts.
Piece router_work(const model::Workload& job, const Sizes& sizes, const KernelTimes& times);

/// Nothing where there is no shared expert.
Piece shared_expert_work(const model::Workload& job, const Sizes& sizes, const KernelTimes& times);

Piece dense_mlp_work(const model::Workload& job, const Sizes& sizes, const KernelTimes& times);

/// The local experts between both permutations.
Piece expert_work(const model::Workload& job, const Sizes& sizes, const KernelTimes& times);

/// Kernels and launches beside the exchange itself, the same in both directions.
Work dispatch_side_work(const model::Workload& job, const Sizes& sizes, const KernelTimes& times);
Work combine_side_work(const model::Workload& job, const Sizes& sizes, const KernelTimes& times);

/// Output layer and cross-entropy of one micro-batch, in BF16.
Piece head_work(const model::Workload& job, const Sizes& sizes, const KernelTimes& times);

Piece embedding_work(const model::Workload& job, const Sizes& sizes, const KernelTimes& times);

/// What one depth of multi-token prediction has besides its layer and head.
Piece prediction_work(const model::Workload& job, const Sizes& sizes, const KernelTimes& times);

/// One exchange of tokens by its law, the mean of a dispatch and a combine, in s; 0 without expert
/// parallelism, and where tokens are gathered instead.
double exchange_time(const model::Workload& job,
                     const Sizes& sizes,
                     const Machine& machine,
                     LawTally& tally);

/// What is gathered in front of the experts and reduced and scattered behind them, the mean of
/// both, in s. The all-gather dispatcher does so with every token (and its row of the routing map,
/// 1 B an expert, and of probabilities, 4 B, in front) over all ranks of expert and expert tensor
/// parallelism; behind an all-to-all, ranks that slice experts do so with what each of them
/// received.
double gathering_time(const model::Workload& job,
                      const Sizes& sizes,
                      const Machine& machine,
                      LawTally& tally);

/// Nodes' worth of NVLink domains that expert parallelism spans: 1 inside one.
int spanned_domains(const model::Workload& job, const Machine& machine);

}  // namespace epwise::sim
