#pragma once

#include <string>
#include <vector>

#include "perf/schedule/task_graph.h"

namespace epwise::schedule {

/// One task as executed. Seconds from the step's start.
struct TimelineEvent {
  double start = 0;
  double end = 0;
  Task task;
  bool critical = false;  // on the dependency chain that ends with the step's last event
};

/// A step as executed: the content of a trace. Events in the order of the task graph, without mere
/// synchronisations.
struct Timeline {
  std::vector<TimelineEvent> events;
  double seconds = 0;
};

/// Seconds in which the stage's stream is busy.
double busy_time(const Timeline& timeline, int stage, Stream stream);

/// Seconds in which `stream` is busy on the stage and `beside` is not: exposed exchanges are (comm,
/// compute), hidden ones the rest of `busy_time`.
double exposed_time(const Timeline& timeline, int stage, Stream stream, Stream beside);

/// One line per event, `*` for critical ones, in milliseconds:
///        0.000     1.000  0 compute  forward 0.0 *
std::string to_text(const Timeline& timeline);

}  // namespace epwise::schedule
