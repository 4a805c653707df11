#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "perf/schedule/layer_pair.h"

namespace epwise::schedule {

/// What a task occupies on its stage: one task at a time, in the order in which they were added.
/// Nothing queues on the wire.
enum class Stream : std::uint8_t { compute, comm, replica, host, wire };

inline constexpr std::size_t kStreamCount = 5;

/// "compute", "comm", …
std::string_view to_string(Stream stream);

enum class TaskKind : std::uint8_t {
  forward,    // a whole chunk
  backward,   // a whole chunk
  pair,       // a forward and a backward chunk in one slot
  node,       // one node of one layer
  embedding,  // everything before a model's layers, in either direction
  loss,       // everything after them
  issue,      // the host's part of a node
  sync,       // the host waits for the GPU and continues
  hop,        // a tensor in transit to another stage
  gather,     // parameters from the replicas
  reduce,     // gradients to the replicas
  optimizer,
  meet  // streams synchronise; takes no time and is not shown
};

/// "forward", "node", …
std::string_view to_string(TaskKind kind);

struct Task {
  double duration = 0;  // seconds, undisturbed

  /// Slow-down while the stage's other GPU stream (compute, comm) is busy.
  double slowdown = 1;
  int stage = 0;
  int micro_batch = -1;  // −1: none
  int chunk = -1;
  int layer = -1;  // place in the chunk
  Stream stream = Stream::compute;
  TaskKind kind = TaskKind::forward;
  Node node = Node::attention_forward;  // kind node and issue
  bool backward = false;                // direction of embedding, loss, hop
};

/// How one task waits for another. The lag is added to the other's time.
enum class Wait : std::uint8_t {
  end_to_start,    // my start waits for its end
  start_to_start,  // my start waits for its start
  end_to_end       // my end waits for its end
};

struct Link {
  int before = 0;
  Wait wait = Wait::end_to_start;
  double lag = 0;
};

/// Tasks in the order in which a step's host code would issue them, and their dependencies. Tasks
/// depend only on earlier ones, so there is no cycle and one pass in order of numbers suffices.
class TaskGraph {
 public:
  void reserve(std::size_t tasks, std::size_t links);

  /// Adds a task and returns its number (0, 1, …).
  int add(const Task& task) {
    assert(task.stage >= 0 && task.duration >= 0 && task.slowdown >= 1 && "a task that can run");
    tasks_.push_back(task);
    first_link_.push_back(links_.size());
    stages_ = task.stage < stages_ ? stages_ : task.stage + 1;
    return size() - 1;
  }

  /// Makes the task added last wait for an earlier one. Ignores negative numbers.
  void wait(int before, Wait how = Wait::end_to_start, double lag = 0) {
    assert(before < size() - 1 && "tasks wait for earlier ones");
    if (before >= 0) {
      links_.push_back({before, how, lag});
    }
  }

  int size() const { return static_cast<int>(tasks_.size()); }

  const std::vector<Task>& tasks() const { return tasks_; }

  /// The dependencies of the task, in addition to its stream.
  std::span<const Link> links(int task) const {
    const auto at = static_cast<std::size_t>(task);
    const std::size_t first = first_link_[at];
    const std::size_t end = at + 1 < first_link_.size() ? first_link_[at + 1] : links_.size();
    return {links_.data() + first, end - first};
  }

  int link_count() const { return static_cast<int>(links_.size()); }

  int stages() const { return stages_; }

 private:
  std::vector<Task> tasks_;
  std::vector<Link> links_;              // by task
  std::vector<std::size_t> first_link_;  // of each task
  int stages_ = 0;
};

/// Seconds of the longest chain of tasks with unlimited streams: a lower bound for every run. Uses
/// Boost.Graph (`graph::PrecedenceGraph`); ignores lags and the two rarer kinds of dependency.
double critical_path(const TaskGraph& graph);

}  // namespace epwise::schedule
