#pragma once

#include "schedule/closed_form.h"
#include "schedule/pipeline.h"

namespace epwise::schedule {

/// The data-parallel exchanges of a pipeline whose chunks are all alike. Seconds a chunk; `buckets`
/// and `aligned` as in `ReplicaCost`.
struct UniformReplicas {
  double gather = 0;
  double reduce = 0;
  int buckets = 1;
  bool aligned = false;
};

/// What of them nothing hides, in seconds: before the pipeline runs at its pace, and behind it.
struct ReplicaExposure {
  double gather = 0;
  double reduce = 0;
  bool exact = false;  // `uniform_step` and both of these sum to the replay
};

/// O(V), no allocation.
///
/// In n buckets a gather g and its chunk's first forward F are a flow shop of two machines with
/// equal parts: they end max(g/n + F, g + F/n) after the gather began, which is when the stage's
/// gathers of earlier chunks end. Chunk v's first forward would start at (s + v G) F on stage s;
/// the largest delay shifts the step. Behind a last backward B its reduction r ends at max(start +
/// B/n + r, end + r/n), the stage's earlier reductions permitting; the first stage's last backwards
/// end v G' B before the pipeline does, and no other stage's later. Source: derived here; Johnson's
/// rule for equal parts. Exact without hops, and where the delay of a gather meets no slack: groups
/// of P micro-batches, or no interleaving.
///   {P 1, M 2}, F 4, B 8, g 2, r 6, one bucket → gather 2, reduce 6;  four buckets → 0.5 and 1.5
ReplicaExposure replica_exposure(const Pipeline& pipeline,
                                 const UniformCost& cost,
                                 const UniformReplicas& replicas);

}  // namespace epwise::schedule
