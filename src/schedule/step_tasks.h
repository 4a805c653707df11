#pragma once

#include <span>

#include "schedule/chunk.h"
#include "schedule/pipeline.h"
#include "schedule/pipeline_cost.h"
#include "schedule/task_graph.h"

namespace epwise::schedule {

/// A step as tasks of whole chunks: one compute task a slot, hops on the wire, the replicas'
/// exchanges and the optimizer. Run undisturbed it takes exactly what `Replay` says.
TaskGraph slot_tasks(const Pipeline& pipeline, const PipelineCost& cost);

/// By how much GPU work is slowed while the stage's other GPU stream is at work; 1: not at all.
struct Contention {
  double compute = 1;
  double comm = 1;
};

/// A step down to the nodes of its layers. Views; what they refer to must outlive it.
struct LayeredStep {
  std::span<const LayerCost> table;
  std::span<const ChunkCost> chunks;  // by position
  IssueRules rules;
  Hop hop;
  ReplicaCost replicas;  // parts are layers here: `buckets` is not asked
  double optimizer = 0;
  Contention contention;

  /// Tasks for the host too: otherwise host times, synchronisations and latency are left out, and
  /// the graph is half as large.
  bool host = true;
};

/// A step as nodes on compute, comm, replica and host streams of every stage: what a trace shows,
/// and the only tier in which contention, the host's run-ahead and the order of the schedule meet.
/// Undisturbed and without host, replicas or blocking hops it takes exactly what `Replay` says with
/// the slots' times of `slot_time`. `one_queue` holds among a stage's GPU nodes (with the tail of
/// the node before); a synchronisation inside a dispatch waits `sync_offset` from its start.
TaskGraph node_tasks(const Pipeline& pipeline, const LayeredStep& step);

}  // namespace epwise::schedule
