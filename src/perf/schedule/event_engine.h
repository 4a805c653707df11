#pragma once

#include <cstddef>
#include <vector>

#include "perf/schedule/task_graph.h"
#include "perf/schedule/timeline.h"

namespace epwise::schedule {

/// Start and end of the tasks of a graph. Seconds; `cause` is the task that determined the start
/// (or the end, if it was waited for), −1 for none.
struct RunState {
  std::vector<double> start;
  std::vector<double> end;
  std::vector<int> cause;

  double last() const;
};

/// One pass in order of numbers; every slowdown is taken as 1.
RunState run_undisturbed(const TaskGraph& graph);

/// From event to event, with slowdowns.
RunState run_contended(const TaskGraph& graph);

/// Runs a task graph: a task starts as soon as its dependencies are satisfied and its stream is
/// free, in graph order. Streams are first in, first out, like CUDA's.
///
/// Without contention (every task's `slowdown` is 1) this is one pass over the links, a few ns
/// each. With contention, time advances from event to event: while both GPU streams of a stage are
/// busy, each of their tasks progresses at 1/slowdown; a task that waits for its host has no work
/// left and slows nothing down. Negative lags are only allowed without contention
/// (std::logic_error).
///
/// Three tasks of 1, 2, 1 ms, the third after both others, the second on the comm stream:
///       0.000     1.000  0 compute  forward 0.0
///       0.000     2.000  0 comm     hop 0.0 *
///       2.000     3.000  0 compute  backward 0.0 *
Timeline run(const TaskGraph& graph);

/// Only the duration. Seconds.
double run_time(const TaskGraph& graph);

}  // namespace epwise::schedule
