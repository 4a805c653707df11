#pragma once

#include "schedule/task_graph.h"
#include "schedule/timeline.h"

namespace epwise::schedule {

/// Runs a task graph: a task starts as soon as everything it waits for has happened and its stream
/// is free, in the order of the graph. Streams are first in, first out, as CUDA's are.
///
/// Without contention (every task's `slowdown` is 1) this is one pass over the links, a few ns
/// each. With it, time advances from event to event: while both GPU streams of a stage are at work,
/// each task there does 1/slowdown of its work a second; a task that waits for its host has no work
/// left and disturbs nobody. Negative lags are only for the first kind (std::logic_error).
///
/// Three tasks of 1, 2, 1 ms, the third behind both others, the second on the comm stream:
///       0.000     1.000  0 compute  forward 0.0
///       0.000     2.000  0 comm     hop 0.0 *
///       2.000     3.000  0 compute  backward 0.0 *
Timeline run(const TaskGraph& graph);

/// Only how long it takes. Seconds.
double run_time(const TaskGraph& graph);

}  // namespace epwise::schedule
