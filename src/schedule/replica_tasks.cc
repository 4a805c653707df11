#include "schedule/replica_tasks.h"

#include <algorithm>
#include <cstddef>

namespace epwise::schedule {

ReplicaTasks::ReplicaTasks(const Pipeline& pipeline,
                           std::span<const ChunkCost> chunks,
                           const ReplicaCost& cost)
    : pipeline_(pipeline),
      chunks_(chunks),
      cost_(cost),
      stages_(static_cast<std::size_t>(pipeline.stages)) {}

int ReplicaTasks::layers_of(int stage, int chunk) const {
  const int position = pipeline_.position(stage, chunk);
  return std::max(1, layer_count(chunks_[static_cast<std::size_t>(position)]));
}

void ReplicaTasks::add_gathers(TaskGraph& graph) {
  if (cost_.gather.empty()) {
    return;
  }
  for (int stage = 0; stage < pipeline_.stages; ++stage) {
    for (int chunk = 0; chunk < pipeline_.chunks; ++chunk) {
      const int parts = layers_of(stage, chunk);
      const auto position = static_cast<std::size_t>(pipeline_.position(stage, chunk));
      at(stage).gathers.emplace_back();
      for (int part = 0; part < parts; ++part) {
        Task task;
        task.stage = stage;
        task.chunk = chunk;
        task.layer = part;
        task.stream = Stream::replica;
        task.kind = TaskKind::gather;
        task.duration = cost_.gather[position] / parts;
        at(stage).gathers.back().push_back(graph.add(task));
      }
    }
  }
}

int ReplicaTasks::gather_of(int stage, int chunk, int layer) const {
  const auto& gathers = stages_[static_cast<std::size_t>(stage)].gathers;
  if (gathers.empty()) {
    return -1;
  }
  return gathers[static_cast<std::size_t>(chunk)][static_cast<std::size_t>(layer)];
}

void ReplicaTasks::add_reduce(TaskGraph& graph, int after) {
  if (cost_.reduce.empty()) {
    return;
  }
  Task task = graph.tasks()[static_cast<std::size_t>(after)];
  if (cost_.aligned) {
    if (task.layer == 0) {
      at(task.stage).owed.push_back({task.chunk, at(task.stage).backwards + 1 + task.stage});
    }
    return;
  }
  const auto position = static_cast<std::size_t>(pipeline_.position(task.stage, task.chunk));
  task.stream = Stream::replica;
  task.kind = TaskKind::reduce;
  task.slowdown = 1;
  task.duration = cost_.reduce[position] / layers_of(task.stage, task.chunk);
  graph.add(task);
  graph.wait(after);
}

void ReplicaTasks::launch(TaskGraph& graph, int stage, const Owed& owed, int after) {
  Task task;
  task.stage = stage;
  task.chunk = owed.chunk;
  task.stream = Stream::replica;
  task.kind = TaskKind::reduce;
  task.duration = cost_.reduce[static_cast<std::size_t>(pipeline_.position(stage, owed.chunk))];
  graph.add(task);
  graph.wait(after);
}

void ReplicaTasks::end_backward(TaskGraph& graph, int stage, int last) {
  Stage& mine = at(stage);
  ++mine.backwards;
  std::erase_if(mine.owed, [&](const Owed& owed) {
    if (owed.due > mine.backwards) {
      return false;
    }
    launch(graph, stage, owed, last);
    return true;
  });
}

void ReplicaTasks::end_step(TaskGraph& graph, int stage, int last) {
  for (const Owed& owed : at(stage).owed) {
    launch(graph, stage, owed, last);
  }
  at(stage).owed.clear();
}

}  // namespace epwise::schedule
