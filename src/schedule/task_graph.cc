#include "schedule/task_graph.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>

#include "graph/precedence_graph.h"

namespace epwise::schedule {

std::string_view to_string(Stream stream) {
  constexpr std::array<std::string_view, kStreamCount> kNames = {
      "compute", "comm", "replica", "host", "wire"};
  return kNames[static_cast<std::size_t>(stream)];
}

std::string_view to_string(TaskKind kind) {
  constexpr std::array<std::string_view, 13> kNames = {"forward",
                                                       "backward",
                                                       "pair",
                                                       "node",
                                                       "embedding",
                                                       "loss",
                                                       "issue",
                                                       "sync",
                                                       "hop",
                                                       "gather",
                                                       "reduce",
                                                       "optimizer",
                                                       "meet"};
  return kNames[static_cast<std::size_t>(kind)];
}

void TaskGraph::reserve(std::size_t tasks, std::size_t links) {
  tasks_.reserve(tasks);
  first_link_.reserve(tasks);
  links_.reserve(links);
}

int TaskGraph::add(const Task& task) {
  assert(task.stage >= 0 && task.duration >= 0 && task.slowdown >= 1 && "a task that can run");
  tasks_.push_back(task);
  first_link_.push_back(links_.size());
  stages_ = std::max(stages_, task.stage + 1);
  return size() - 1;
}

void TaskGraph::wait(int before, Wait how, double lag) {
  assert(before < size() - 1 && "tasks wait for earlier ones");
  if (before >= 0) {
    links_.push_back({before, how, lag});
  }
}

std::span<const Link> TaskGraph::links(int task) const {
  const auto at = static_cast<std::size_t>(task);
  const std::size_t first = first_link_[at];
  const std::size_t end = at + 1 < first_link_.size() ? first_link_[at + 1] : links_.size();
  return {links_.data() + first, end - first};
}

double critical_path(const TaskGraph& graph) {
  std::vector<graph::Arc> arcs;
  std::vector<double> durations;
  for (int task = 0; task < graph.size(); ++task) {
    durations.push_back(graph.tasks()[static_cast<std::size_t>(task)].duration);
    for (const Link& link : graph.links(task)) {
      if (link.wait == Wait::end_to_start && link.lag >= 0) {
        arcs.push_back({link.before, task});
      }
    }
  }
  return graph::PrecedenceGraph(graph.size(), arcs).longest_path(durations);
}

}  // namespace epwise::schedule
