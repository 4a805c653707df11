#include "schedule/step_end.h"

#include <cstddef>
#include <vector>

namespace epwise::schedule {

void add_optimizer(TaskGraph& graph, double seconds) {
  if (seconds <= 0) {
    return;
  }
  const int stages = graph.stages();
  std::vector<int> last;
  std::vector<int> last_compute(static_cast<std::size_t>(stages), -1);
  for (int task = 0; task < graph.size(); ++task) {
    const Task& added = graph.tasks()[static_cast<std::size_t>(task)];
    if (added.kind == TaskKind::reduce) {
      last.push_back(task);
    }
    if (added.stream == Stream::compute) {
      last_compute[static_cast<std::size_t>(added.stage)] = task;
    }
  }
  last.insert(last.end(), last_compute.begin(), last_compute.end());
  Task meet;
  meet.stream = Stream::wire;
  meet.kind = TaskKind::meet;
  const int all = graph.add(meet);
  for (const int task : last) {
    graph.wait(task);
  }
  for (int stage = 0; stage < stages; ++stage) {
    Task task;
    task.stage = stage;
    task.kind = TaskKind::optimizer;
    task.duration = seconds;
    graph.add(task);
    graph.wait(all);
  }
}

}  // namespace epwise::schedule
