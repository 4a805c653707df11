#pragma once

#include <span>

#include "perf/schedule/pipeline.h"
#include "perf/schedule/pipeline_cost.h"

namespace epwise::schedule {

/// A pipeline in which all chunks take the same time. Seconds.
struct UniformCost {
  double forward = 0;
  double backward = 0;
  double pair = 0;  // a paired slot; only used by combined 1F1B
  Hop hop;
};

/// Seconds of one step's pipeline, by cause; they sum to `seconds`.
struct StepEstimate {
  double seconds = 0;
  double work = 0;      // M·V slots of the busiest stage, if every slot were of the usual kind
  double bubble = 0;    // fill and drain: (P − 1)(F + B), or the equivalent for unequal stages
  double unpaired = 0;  // combined 1F1B: unpaired slots of warm-up and cool-down
  double hops = 0;      // tensors between stages
  bool exact = false;   // equal to the replay of the schedule, up to rounding
};

/// Paired slots of each stage in a step, M·V − (V − 1) G − 1 at the last stage: the slots in which
/// combined 1F1B can hide communication. 0 without it.
int paired_slots(const Pipeline& pipeline);

/// The time of a step with equal chunks. Constant time, no allocation.
///
///   no pipeline            M (F + B)
///   the same, combined     F + (M − 1) FB + B
///   1F1B, interleaved      (M V + P − 1)(F + B)
///   combined 1F1B          M V FB + (P − 1)(F + B) + ((V − 1) G + 1)(F + B − FB)
///
/// and for hops of p seconds that overlap with computation
///   1F1B          2 p (P − 2 + M − ⌊(M + P − 2)/P⌋)
///   interleaved   2 p (P − 1) + wraps
///   combined      p (2 ⌈n/2⌉ + 2 (P − 2)) + wraps,   n = `paired_slots`
///   wraps         (V − 1)(max(0, P p − (G − P) F) + max(0, P p − (G' − P) B)),  G' the last group
/// and for hops that block a stage: 1F1B p (2 M + 2 P − 5), or p (M + 1) when P = 2, or 2 p (P − 1)
/// when M = 1; combined: every piece takes p more, less one p.
///
/// Source: derived here. The first block is from the literature (1F1B: bubble (P − 1)/(M + P − 1));
/// the rest is counted along critical paths and tested against the replay of random pipelines.
/// Exact (`exact`) except for: combined 1F1B if the last group is the only one of P micro-batches
/// and n is even (too small by at most one p); combined if hops take longer than a chunk's forward
/// or backward; interleaved with blocking hops (a lower bound).
///   {P 4, V 1, M 8}, F 1, B 2 → 33 = 24 work + 9 bubble
StepEstimate uniform_step(const Pipeline& pipeline, const UniformCost& cost);

/// Sums over a pipeline's chunks, for one micro-batch. Seconds.
struct StageTotals {
  double forward = 0;  // of all chunks
  double backward = 0;
  double pair = 0;     // over all chunks in paired slots; forward + backward without combined 1F1B
  double busiest = 0;  // the largest `pair` of one stage
  double slowest = 0;  // the largest forward + backward of one stage
};

/// The time of a step from these sums only, as in `unequal_step`; never `exact`.
StepEstimate unequal_step(const Pipeline& pipeline, const StageTotals& totals, const Hop& hop);

/// The time of a step with unequal chunks: a bound or an approximation, `exact` only if all are
/// equal or there is no pipeline. O(P V²), no allocation; excludes the replicas' exchanges and the
/// optimizer.
///
/// 1F1B without hops: an upper bound, Σ t + (M − 1) max t, t = F + B of a stage (exact if the last
/// stage is the slowest). With virtual stages: M · (the busiest stage's slots), plus fill, drain
/// and unpaired slots of an average chunk. On random pipelines whose durations differ by up to 10 %
/// the error is 1.5 % on average and at most 8 %; use `Replay` if that matters.
StepEstimate unequal_step(const Pipeline& pipeline, const PipelineCost& cost);

}  // namespace epwise::schedule
