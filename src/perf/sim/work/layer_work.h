#pragma once

#include <vector>

#include "perf/sim/work/kernel_times.h"
#include "perf/sim/work/work.h"
#include "perf/workload/workload.h"

namespace epwise::sim {

/// Token mixers before one MLP, averaged over the layers: half of them windowed, or one in four
/// with full attention. Layers of hybrids without an MLP count with the next MLP: 40 Mamba and 8
/// attention layers on 40 expert layers are 1 and 0.2 per MLP.
Piece attention_work(const workload::Workload& job,
                     const Sizes& sizes,
                     const KernelTimes& times,
                     const std::vector<workload::Layer>& layers);

}  // namespace epwise::sim

/// Parts of a layer around its mixer, and of the ends of the model. Launch counts are those of the
/// eager path of Megatron-Core with Transformer Engine, counted in its sources.

namespace epwise::sim {

/// Norm before the MLP, gate, top-k, map, auxiliary losses; the projections of latent experts.
Piece router_work(const workload::Workload& job, const Sizes& sizes, const KernelTimes& times);

/// Nothing without a shared expert.
Piece shared_expert_work(const workload::Workload& job,
                         const Sizes& sizes,
                         const KernelTimes& times);

Piece dense_mlp_work(const workload::Workload& job, const Sizes& sizes, const KernelTimes& times);

/// The local experts between the two permutations.
Piece expert_work(const workload::Workload& job, const Sizes& sizes, const KernelTimes& times);

/// Kernels and launches around the exchange itself, the same in both directions.
Work dispatch_side_work(const workload::Workload& job,
                        const Sizes& sizes,
                        const KernelTimes& times);
Work combine_side_work(const workload::Workload& job, const Sizes& sizes, const KernelTimes& times);

/// Output layer and cross-entropy of one micro-batch, in BF16.
Piece head_work(const workload::Workload& job, const Sizes& sizes, const KernelTimes& times);

Piece embedding_work(const workload::Workload& job, const Sizes& sizes, const KernelTimes& times);

/// The encoder of a micro-batch's images, eager and in BF16, and the projections of its output. A frozen
/// part has no gradients of weights; gradients pass through the projections only to a trained encoder.
/// Full attention over the patches of an image costs twice what the law says of causal sequences.
Piece vision_work(const workload::Workload& job, const KernelTimes& times);

/// Additional work of one MTP depth in addition to its layer and head.
Piece prediction_work(const workload::Workload& job, const Sizes& sizes, const KernelTimes& times);

/// One token exchange by its law, the mean of a dispatch and a combine, in s; 0 without expert
/// parallelism, and if tokens are gathered instead.
double exchange_time(const workload::Workload& job,
                     const Sizes& sizes,
                     const Machine& machine,
                     LawTally& tally);

/// All-gather before the experts and reduce-scatter after them, the mean of both, in s. The
/// all-gather dispatcher does this for every token (preceded by its row of the routing map, 1 B per
/// expert, and of probabilities, 4 B) over all ranks of expert and expert-tensor parallelism; after
/// an all-to-all, ranks that slice experts do it with the tokens that each of them received.
double gathering_time(const workload::Workload& job,
                      const Sizes& sizes,
                      const Machine& machine,
                      LawTally& tally);

/// Number of NVLink domains spanned by expert parallelism: 1 inside one.
int spanned_domains(const workload::Workload& job, const Machine& machine);

}  // namespace epwise::sim
