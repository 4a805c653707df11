#pragma once

#include "schedule/pipeline.h"
#include "schedule/pipeline_cost.h"

namespace epwise::schedule {

/// A pipeline whose chunks all take the same. Seconds.
struct UniformCost {
  double forward = 0;
  double backward = 0;
  double pair = 0;  // a paired slot; only combined 1F1B asks
  Hop hop;
};

/// Seconds of one step's pipeline, by cause; they sum to `seconds`.
struct StepEstimate {
  double seconds = 0;
  double work = 0;      // M·V slots of the busiest stage, were every slot of the usual kind
  double bubble = 0;    // fill and drain: (P − 1)(F + B), or what unequal stages make of it
  double unpaired = 0;  // combined 1F1B: slots of warm-up and cool-down that hide nothing
  double hops = 0;      // tensors between stages
  bool exact = false;   // equal to the replay of the schedule, up to rounding
};

/// Paired slots of each stage in a step, M·V − (V − 1) G − 1 at the last stage: what combined 1F1B
/// can hide behind. 0 without it.
int paired_slots(const Pipeline& pipeline);

/// The time of a step with equal chunks. Constant time, no allocation.
///
///   no pipeline            M (F + B)
///   the same, combined     F + (M − 1) FB + B
///   1F1B, interleaved      (M V + P − 1)(F + B)
///   combined 1F1B          M V FB + (P − 1)(F + B) + ((V − 1) G + 1)(F + B − FB)
///
/// and for hops of p seconds beside the computation
///   1F1B          2 p (P − 2 + M − ⌊(M + P − 2)/P⌋)
///   interleaved   2 p (P − 1) + wraps
///   combined      p (2 ⌈n/2⌉ + 2 (P − 2)) + wraps,   n = `paired_slots`
///   wraps         (V − 1)(max(0, P p − (G − P) F) + max(0, P p − (G' − P) B)),  G' the last group
/// and for hops at which a stage stands still: 1F1B p (2 M + 2 P − 5), or p (M + 1) when P = 2, or
/// 2 p (P − 1) when M = 1; combined: every piece takes p more, less one p.
///
/// Source: derived here. The first block is the literature's (1F1B: bubble (P − 1)/(M + P − 1));
/// the rest is counted along critical paths and held against the replay of random pipelines in the
/// tests. Exact (`exact`) except for: combined 1F1B when the last group is the only one of P
/// micro-batches and n is even (short of at most one p); combined when hops outlast a chunk's
/// forward or backward; interleaved with hops that a stage stands still for (a lower bound).
///   {P 4, V 1, M 8}, F 1, B 2 → 33 = 24 work + 9 bubble
StepEstimate uniform_step(const Pipeline& pipeline, const UniformCost& cost);

/// Sums over a pipeline's chunks, for one micro-batch. Seconds.
struct StageTotals {
  double forward = 0;  // of all chunks
  double backward = 0;
  double pair = 0;     // of all chunks in paired slots; forward + backward without combined 1F1B
  double busiest = 0;  // the largest `pair` of one stage
  double slowest = 0;  // the largest forward + backward of one stage
};

/// The time of a step from those sums alone, as `unequal_step` takes it; never `exact`.
StepEstimate unequal_step(const Pipeline& pipeline, const StageTotals& totals, const Hop& hop);

/// The time of a step with unequal chunks: a bound or an approximation, `exact` only when all are
/// equal or there is no pipeline. O(P V²), no allocation; the replicas' exchanges and the optimizer
/// stand outside.
///
/// 1F1B without hops: an upper bound, Σ t + (M − 1) max t, t = F + B of a stage (exact when the
/// last stage is the slowest). With chunks: M · (the busiest stage's slots), and fill, drain and
/// unpaired slots of an average chunk. On random pipelines whose durations differ by up to 10 % it
/// is off by 1.5 % on average and 8 % at worst; where that decides, ask `Replay`.
StepEstimate unequal_step(const Pipeline& pipeline, const PipelineCost& cost);

}  // namespace epwise::schedule
