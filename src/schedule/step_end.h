#pragma once

#include "schedule/task_graph.h"

namespace epwise::schedule {

/// Adds the optimizer of every stage behind the last computation of all stages and behind all
/// reductions: the norm of the gradients needs everyone's. Nothing for 0 seconds.
void add_optimizer(TaskGraph& graph, double seconds);

}  // namespace epwise::schedule
