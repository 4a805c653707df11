#pragma once

#include <cstddef>
#include <vector>

#include "schedule/task_graph.h"

namespace epwise::schedule {

/// Where the tasks of a graph ended up. Seconds; `cause` is the task whose moment decided the start
/// (or the end, when it was waited for), −1 for none.
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

}  // namespace epwise::schedule
