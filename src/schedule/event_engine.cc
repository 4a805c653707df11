#include "schedule/event_engine.h"

#include <algorithm>
#include <cstddef>

#include "schedule/run_state.h"

namespace epwise::schedule {

namespace {

bool is_contended(const TaskGraph& graph) {
  return std::ranges::any_of(graph.tasks(), [](const Task& task) { return task.slowdown > 1; });
}

RunState run_graph(const TaskGraph& graph) {
  return is_contended(graph) ? run_contended(graph) : run_undisturbed(graph);
}

std::vector<bool> critical_tasks(const RunState& state) {
  std::vector<bool> critical(state.end.size(), false);
  const auto last = std::ranges::max_element(state.end);
  int task = last == state.end.end() ? -1 : static_cast<int>(last - state.end.begin());
  while (task >= 0) {
    critical[static_cast<std::size_t>(task)] = true;
    task = state.cause[static_cast<std::size_t>(task)];
  }
  return critical;
}

}  // namespace

Timeline run(const TaskGraph& graph) {
  const RunState state = run_graph(graph);
  const std::vector<bool> critical = critical_tasks(state);
  Timeline timeline;
  timeline.seconds = state.last();
  timeline.events.resize(state.end.size());
  auto next = timeline.events.begin();
  for (std::size_t i = 0; i < state.end.size(); ++i) {
    if (graph.tasks()[i].kind != TaskKind::meet) {
      next->start = state.start[i];
      next->end = state.end[i];
      next->task = graph.tasks()[i];
      next->critical = critical[i];
      ++next;
    }
  }
  timeline.events.erase(next, timeline.events.end());
  return timeline;
}

double run_time(const TaskGraph& graph) {
  return run_graph(graph).last();
}

}  // namespace epwise::schedule
