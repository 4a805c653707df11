#include <algorithm>
#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

#include "schedule/replay.h"
#include "schedule/step_end.h"
#include "schedule/step_tasks.h"

namespace epwise::schedule {

namespace {

double value_at(std::span<const double> values, int index) {
  return values.empty() ? 0 : values[static_cast<std::size_t>(index)];
}

/// Builds the graph in an order in which every slot stands behind those that it depends on.
class SlotTasks {
 public:
  SlotTasks(const Pipeline& pipeline, const PipelineCost& cost)
      : pipeline_(pipeline),
        cost_(cost),
        stages_(static_cast<std::size_t>(pipeline.stages)),
        forward_out_(static_cast<std::size_t>(pipeline.positions()) *
                         static_cast<std::size_t>(pipeline.micro_batches),
                     -1),
        backward_out_(forward_out_) {}

  TaskGraph build(std::span<const SlotSpan> slots) {
    graph_.reserve(3 * slots.size(), 6 * slots.size());
    add_gathers();
    for (const SlotSpan& span : slots) {
      add_slot(span.stage, span.slot);
    }
    add_reduces();
    add_optimizer(graph_, cost_.optimizer);
    return std::move(graph_);
  }

 private:
  struct Stage {
    int last = -1;
    bool last_sends = false;
    std::vector<int> first_parts;  // by chunk: gather of the first bucket, and of the rest
    std::vector<int> gathers;
    std::vector<int> backwards;              // tasks with a backward, in order
    std::vector<std::size_t> last_backward;  // by order of their chunks' last backward
    std::vector<int> last_chunk;
  };

  Stage& at(int stage) { return stages_[static_cast<std::size_t>(stage)]; }

  std::size_t index(const Piece& piece, int position) const {
    return static_cast<std::size_t>(piece.micro_batch) *
               static_cast<std::size_t>(pipeline_.positions()) +
           static_cast<std::size_t>(position);
  }

  void add_gathers();
  void add_slot(int stage, const Slot& slot);
  void wait_for_inputs(int stage, const Slot& slot, bool receives);
  void wait_for_gather(int stage, const Piece& piece, double duration);
  void add_hops(int stage, const Slot& slot, int task, const SlotTime& time);
  int add_hop(int stage, const Piece& piece, int task, double early, bool backward);
  void add_reduces();

  Pipeline pipeline_;
  const PipelineCost& cost_;
  TaskGraph graph_;
  std::vector<Stage> stages_;
  std::vector<int> forward_out_;  // the hop, or the slot where nothing travels
  std::vector<int> backward_out_;
};

void SlotTasks::add_gathers() {
  if (cost_.replicas.gather.empty()) {
    return;
  }
  for (int stage = 0; stage < pipeline_.stages; ++stage) {
    for (int chunk = 0; chunk < pipeline_.chunks; ++chunk) {
      const double own = value_at(cost_.replicas.gather, pipeline_.position(stage, chunk));
      Task task;
      task.stage = stage;
      task.chunk = chunk;
      task.stream = Stream::replica;
      task.kind = TaskKind::gather;
      task.duration = own / cost_.replicas.buckets;
      at(stage).first_parts.push_back(graph_.add(task));
      task.duration = own - task.duration;
      at(stage).gathers.push_back(graph_.add(task));
    }
  }
}

void SlotTasks::wait_for_inputs(int stage, const Slot& slot, bool receives) {
  Stage& mine = at(stage);
  const bool stands = !cost_.hop.overlapped && mine.last >= 0 && (receives || mine.last_sends);
  graph_.wait(mine.last, Wait::end_to_start, stands ? cost_.hop.seconds : 0);
  if (slot.forward.present()) {
    const int position = pipeline_.position(stage, slot.forward.chunk);
    if (position > 0) {
      graph_.wait(forward_out_[index(slot.forward, position - 1)]);
    }
  }
  if (slot.backward.present()) {
    const int position = pipeline_.position(stage, slot.backward.chunk);
    if (position + 1 < pipeline_.positions()) {
      graph_.wait(backward_out_[index(slot.backward, position + 1)]);
    }
  }
}

void SlotTasks::wait_for_gather(int stage, const Piece& piece, double duration) {
  if (piece.micro_batch != 0 || cost_.replicas.gather.empty()) {
    return;
  }
  const auto chunk = static_cast<std::size_t>(piece.chunk);
  graph_.wait(at(stage).first_parts[chunk]);
  graph_.wait(at(stage).gathers[chunk], Wait::end_to_end, duration / cost_.replicas.buckets);
}

void SlotTasks::add_slot(int stage, const Slot& slot) {
  const int last = pipeline_.positions() - 1;
  const Piece& shown = slot.forward.present() ? slot.forward : slot.backward;
  const int forward_at = pipeline_.position(stage, slot.forward.chunk);
  const int backward_at = pipeline_.position(stage, slot.backward.chunk);
  const bool receives =
      (slot.forward.present() && forward_at > 0) || (slot.backward.present() && backward_at < last);
  const SlotTime time = time_of_slot(pipeline_, cost_, stage, slot);
  Task task;
  task.stage = stage;
  task.micro_batch = shown.micro_batch;
  task.chunk = shown.chunk;
  task.duration = time.duration;
  task.kind = slot.paired()            ? TaskKind::pair
              : slot.forward.present() ? TaskKind::forward
                                       : TaskKind::backward;
  const int number = graph_.add(task);
  wait_for_inputs(stage, slot, receives);
  if (slot.forward.present()) {
    wait_for_gather(stage, slot.forward, time.duration);
  }
  Stage& mine = at(stage);
  mine.last = number;
  mine.last_sends =
      (slot.forward.present() && forward_at < last) || (slot.backward.present() && backward_at > 0);
  if (slot.backward.present()) {
    if (slot.backward.micro_batch + 1 == pipeline_.micro_batches) {
      mine.last_backward.push_back(mine.backwards.size());
      mine.last_chunk.push_back(slot.backward.chunk);
    }
    mine.backwards.push_back(number);
  }
  add_hops(stage, slot, number, time);
}

int SlotTasks::add_hop(int stage, const Piece& piece, int task, double early, bool backward) {
  Task hop;
  hop.stage = stage;
  hop.micro_batch = piece.micro_batch;
  hop.chunk = piece.chunk;
  hop.stream = Stream::wire;
  hop.kind = TaskKind::hop;
  hop.backward = backward;
  hop.duration = cost_.hop.seconds;
  const int number = graph_.add(hop);
  graph_.wait(task, Wait::end_to_start, -early);
  return number;
}

void SlotTasks::add_hops(int stage, const Slot& slot, int task, const SlotTime& time) {
  if (slot.forward.present()) {
    const int position = pipeline_.position(stage, slot.forward.chunk);
    if (position + 1 < pipeline_.positions()) {
      forward_out_[index(slot.forward, position)] =
          add_hop(stage, slot.forward, task, time.forward_early, false);
    }
  }
  if (slot.backward.present()) {
    const int position = pipeline_.position(stage, slot.backward.chunk);
    if (position > 0) {
      backward_out_[index(slot.backward, position)] =
          add_hop(stage, slot.backward, task, time.backward_early, true);
    }
  }
}

void SlotTasks::add_reduces() {
  if (cost_.replicas.reduce.empty()) {
    return;
  }
  for (int stage = 0; stage < pipeline_.stages; ++stage) {
    const Stage& mine = at(stage);
    for (std::size_t i = 0; i < mine.last_backward.size(); ++i) {
      const int position = pipeline_.position(stage, mine.last_chunk[i]);
      const double own = value_at(cost_.replicas.reduce, position);
      const double parts = cost_.replicas.buckets;
      Task task;
      task.stage = stage;
      task.chunk = mine.last_chunk[i];
      task.stream = Stream::replica;
      task.kind = TaskKind::reduce;
      task.duration = own;
      graph_.add(task);
      if (cost_.replicas.aligned) {
        const std::size_t at = mine.last_backward[i] + static_cast<std::size_t>(stage);
        graph_.wait(mine.backwards[std::min(at, mine.backwards.size() - 1)]);
      } else {
        const int backward = mine.backwards[mine.last_backward[i]];
        const double duration = graph_.tasks()[static_cast<std::size_t>(backward)].duration;
        graph_.wait(backward, Wait::start_to_start, duration / parts);
        graph_.wait(backward, Wait::end_to_end, own / parts);
      }
    }
  }
}

}  // namespace

TaskGraph slot_tasks(const Pipeline& pipeline, const PipelineCost& cost) {
  const Replay replay(pipeline);
  return SlotTasks(pipeline, cost).build(replay.slots());
}

}  // namespace epwise::schedule
