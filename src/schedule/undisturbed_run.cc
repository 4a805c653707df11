#include <algorithm>

#include "schedule/run_state.h"

namespace epwise::schedule {

namespace {

std::size_t queue_of(const Task& task) {
  return static_cast<std::size_t>(task.stage) * kStreamCount +
         static_cast<std::size_t>(task.stream);
}

}  // namespace

double RunState::last() const {
  double last = 0;
  for (const double moment : end) {
    last = std::max(last, moment);
  }
  return last;
}

RunState run_undisturbed(const TaskGraph& graph) {
  const auto count = static_cast<std::size_t>(graph.size());
  RunState state{std::vector<double>(count), std::vector<double>(count), std::vector<int>(count)};
  std::vector<int> previous(static_cast<std::size_t>(graph.stages()) * kStreamCount, -1);
  for (std::size_t i = 0; i < count; ++i) {
    const Task& task = graph.tasks()[i];
    double start = 0;
    int cause = -1;
    if (task.stream != Stream::wire) {
      int& before = previous[queue_of(task)];
      if (before >= 0) {
        start = state.end[static_cast<std::size_t>(before)];
        cause = before;
      }
      before = static_cast<int>(i);
    }
    double end = 0;
    int holds_end = -1;
    for (const Link& link : graph.links(static_cast<int>(i))) {
      const auto before = static_cast<std::size_t>(link.before);
      const double moment =
          (link.wait == Wait::start_to_start ? state.start[before] : state.end[before]) + link.lag;
      if (link.wait == Wait::end_to_end) {
        if (moment > end) {
          end = moment;
          holds_end = link.before;
        }
      } else if (moment > start || cause < 0) {
        start = std::max(start, moment);
        cause = link.before;
      }
    }
    if (start + task.duration >= end) {
      end = start + task.duration;
    } else {
      cause = holds_end;
    }
    state.start[i] = start;
    state.end[i] = end;
    state.cause[i] = cause;
  }
  return state;
}

}  // namespace epwise::schedule
