#include "perf/schedule/task_graph.h"

#include <array>
#include <cstddef>

#include "base/graph/precedence_graph.h"

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
