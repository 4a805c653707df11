#pragma once

#include <span>

#include "perf/schedule/pipeline.h"
#include "perf/schedule/pipeline_cost.h"
#include "perf/schedule/task_graph.h"

namespace epwise::schedule {

/// A step as tasks of whole chunks: one compute task per slot, hops on the wire, the replicas'
/// exchanges and the optimizer. Without contention it takes exactly as long as in `Replay`.
TaskGraph slot_tasks(const Pipeline& pipeline, const PipelineCost& cost);

/// The slow-down of GPU work while the stage's other GPU stream is busy; 1: none.
struct Contention {
  double compute = 1;
  double comm = 1;
};

/// A step resolved to the nodes of its layers. Views; what they refer to must outlive it.
struct LayeredStep {
  std::span<const LayerCost> table;
  std::span<const ChunkCost> chunks;  // by position
  IssueRules rules;
  Hop hop;
  ReplicaCost replicas;  // parts are layers here: `buckets` is not used
  double optimizer = 0;
  Contention contention;

  /// Add host tasks; otherwise host times, synchronisations and latency are omitted, and the graph
  /// is half as large.
  bool host = true;
};

/// A step as nodes on compute, comm, replica and host streams of every stage: the content of a
/// trace, and the only model level that combines contention, the host's run-ahead and the order of
/// the schedule. Without contention, host, replicas and blocking hops it takes exactly as long as
/// `Replay` with the slot times of `slot_time`. `one_queue` applies to a stage's GPU nodes (with
/// the tail of the previous node); a synchronisation inside a dispatch waits `sync_offset` from its
/// start.
TaskGraph node_tasks(const Pipeline& pipeline, const LayeredStep& step);

}  // namespace epwise::schedule
