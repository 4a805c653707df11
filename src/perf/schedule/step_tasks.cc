#include "perf/schedule/step_tasks.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "perf/schedule/pipeline.h"
#include "perf/schedule/pipeline_cost.h"
#include "perf/schedule/replay.h"
#include "perf/schedule/task_graph.h"

namespace epwise::schedule {

/// Adds the optimizer of every stage after the last computation of all stages and after all
/// reductions: the gradient norm needs all of them. Nothing for 0 seconds.
void add_optimizer(TaskGraph& graph, double seconds);

/// The data-parallel exchanges of a step by layers, added to a graph of nodes as it grows:
/// parameters in the order of the stage's chunks from the start of the step, gradients after their
/// layer's last backward or, if aligned, a chunk at once some slots later.
class ReplicaTasks {
 public:
  /// Refers to `chunks` and the views in `cost`.
  ReplicaTasks(const Pipeline& pipeline,
               std::span<const ChunkCost> chunks,
               const ReplicaCost& cost);

  void add_gathers(TaskGraph& graph);

  /// The task that gathers a layer's parameters; −1: none.
  int gather_of(int stage, int chunk, int layer) const;

  /// The gradients of the layer whose last backward node is task `after`.
  void add_reduce(TaskGraph& graph, int after);

  /// A slot with a backward has ended in task `last`: starts the reductions that waited for it.
  void end_backward(TaskGraph& graph, int stage, int last);

  /// The stage's last slot has ended in task `last`: starts all remaining reductions.
  void end_step(TaskGraph& graph, int stage, int last);

 private:
  struct Owed {
    int chunk = 0;
    int due = 0;  // slots with a backward that must have ended
  };

  struct Stage {
    std::vector<std::vector<int>> gathers;  // by chunk and layer
    std::vector<Owed> owed;
    int backwards = 0;
  };

  Stage& at(int stage) { return stages_[static_cast<std::size_t>(stage)]; }

  int layers_of(int stage, int chunk) const;
  void launch(TaskGraph& graph, int stage, const Owed& owed, int after);

  Pipeline pipeline_;
  std::span<const ChunkCost> chunks_;
  ReplicaCost cost_;
  std::vector<Stage> stages_;
};

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

namespace {

/// Builds the graph in an order in which every slot follows its dependencies.
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
  std::vector<int> forward_out_;  // the hop, or the slot if nothing is sent
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

namespace {

/// One direction of a slot while its nodes are added: its micro-batch's event is the task that
/// recorded it last.
struct Flow {
  Piece piece;
  const ChunkCost* chunk = nullptr;
  std::vector<int> layers;  // table indices in the order in which this direction runs them
  int event = -1;
  bool backward = false;

  bool present() const { return chunk != nullptr; }
};

/// A node of one of the table's layers, looked up once.
struct PlannedNode {
  NodeCost cost;  // as issued
  bool runs = false;
};

class NodeTasks {
 public:
  NodeTasks(const Pipeline& pipeline, const LayeredStep& step)
      : pipeline_(pipeline),
        step_(step),
        replicas_(pipeline, step.chunks, step.replicas),
        stages_(static_cast<std::size_t>(pipeline.stages)),
        forward_out_(static_cast<std::size_t>(pipeline.positions()) *
                         static_cast<std::size_t>(pipeline.micro_batches),
                     -1),
        backward_out_(forward_out_) {
    plan();
  }

  TaskGraph build(std::span<const SlotSpan> slots);

 private:
  struct Stage {
    int last = -1;         // where the streams synchronised after the last slot
    int last_issued = -1;  // GPU node, for one hardware queue
    double last_tail = 0;
    bool last_sends = false;
  };

  Stage& at(int stage) { return stages_[static_cast<std::size_t>(stage)]; }

  std::size_t index(const Piece& piece, int position) const {
    return static_cast<std::size_t>(piece.micro_batch) *
               static_cast<std::size_t>(pipeline_.positions()) +
           static_cast<std::size_t>(position);
  }

  int position_of(int stage, const Flow& flow) const {
    return pipeline_.position(stage, flow.piece.chunk);
  }

  void plan();
  const PlannedNode& planned(const Flow& flow, int layer, Node node) const;
  Flow flow_of(int stage, const Piece& piece, bool backward) const;
  void add_slot(int stage, const Slot& slot);
  int add_begin(int stage, const Flow& forward, const Flow& backward);
  void add_layers(int stage, Flow& forward, Flow& backward);
  void add_layer(int stage, Flow& forward, int ahead, Flow& backward, int back);
  void add_node(int stage, Flow& flow, int layer, Node node, const NodeCost& issued);
  void add_dispatch(int stage, Flow& flow, int layer, const NodeCost& cost);
  void add_around(int stage, Flow& flow, TaskKind kind, const NodeCost& cost);
  int add_host(const Task& like, const NodeCost& cost);
  void add_issued(Task task, const NodeCost& cost, Flow& flow, bool waits);
  int add_gpu(Task& task, const NodeCost& cost, Flow& flow, bool waits);
  void add_send(int stage, const Flow& flow, int from);

  Pipeline pipeline_;
  const LayeredStep& step_;
  ReplicaTasks replicas_;
  TaskGraph graph_;
  std::vector<PlannedNode> plan_;  // by layer of the table, then node
  std::vector<Stage> stages_;
  std::vector<int> forward_out_;  // hops
  std::vector<int> backward_out_;
};

Task node_task(int stage, const Flow& flow, int layer, Node node) {
  Task task;
  task.stage = stage;
  task.micro_batch = flow.piece.micro_batch;
  task.chunk = flow.piece.chunk;
  const auto count = static_cast<int>(flow.layers.size());
  task.layer = flow.backward ? count - 1 - layer : layer;
  task.kind = TaskKind::node;
  task.node = node;
  task.backward = flow.backward;
  task.stream = is_exchange(node) ? Stream::comm : Stream::compute;
  return task;
}

TaskGraph NodeTasks::build(std::span<const SlotSpan> slots) {
  std::size_t layers = 0;
  for (const ChunkCost& chunk : step_.chunks) {
    layers += static_cast<std::size_t>(layer_count(chunk));
  }
  const std::size_t nodes =
      layers * static_cast<std::size_t>(pipeline_.micro_batches) * 10 * (step_.host ? 2 : 1) +
      6 * slots.size();
  graph_.reserve(nodes, 2 * nodes);
  replicas_.add_gathers(graph_);
  for (const SlotSpan& span : slots) {
    add_slot(span.stage, span.slot);
  }
  for (int stage = 0; stage < pipeline_.stages; ++stage) {
    replicas_.end_step(graph_, stage, at(stage).last);
  }
  add_optimizer(graph_, step_.optimizer);
  return std::move(graph_);
}

Flow NodeTasks::flow_of(int stage, const Piece& piece, bool backward) const {
  Flow flow;
  flow.backward = backward;
  if (!piece.present()) {
    return flow;
  }
  flow.piece = piece;
  flow.chunk = &step_.chunks[static_cast<std::size_t>(pipeline_.position(stage, piece.chunk))];
  for (const LayerRun& run : flow.chunk->layers) {
    flow.layers.insert(flow.layers.end(), static_cast<std::size_t>(run.count), run.layer);
  }
  if (backward) {
    std::ranges::reverse(flow.layers);
  }
  return flow;
}

int NodeTasks::add_begin(int stage, const Flow& forward, const Flow& backward) {
  Stage& mine = at(stage);
  const int last = pipeline_.positions() - 1;
  const int ahead = forward.present() ? position_of(stage, forward) : 0;
  const int back = backward.present() ? position_of(stage, backward) : last;
  const bool stands =
      !step_.hop.overlapped && mine.last >= 0 && (ahead > 0 || back < last || mine.last_sends);
  Task meet;
  meet.stage = stage;
  meet.kind = TaskKind::meet;
  const int begin = graph_.add(meet);
  graph_.wait(mine.last, Wait::end_to_start, stands ? step_.hop.seconds : 0);
  if (ahead > 0) {
    graph_.wait(forward_out_[index(forward.piece, ahead - 1)]);
  }
  if (back < last) {
    graph_.wait(backward_out_[index(backward.piece, back + 1)]);
  }
  mine.last_sends = (forward.present() && ahead < last) || (backward.present() && back > 0);
  return begin;
}

void NodeTasks::add_slot(int stage, const Slot& slot) {
  Flow forward = flow_of(stage, slot.forward, false);
  Flow backward = flow_of(stage, slot.backward, true);
  const int begin = add_begin(stage, forward, backward);
  forward.event = begin;
  backward.event = begin;
  if (forward.present()) {
    add_around(stage, forward, TaskKind::embedding, forward.chunk->embedding_forward);
  }
  if (backward.present()) {
    add_around(stage, backward, TaskKind::loss, backward.chunk->loss_backward);
  }
  add_layers(stage, forward, backward);
  if (forward.present()) {
    add_send(stage, forward, forward.event);
  }
  if (backward.present()) {
    Task meet;
    meet.stage = stage;
    meet.kind = TaskKind::meet;
    const int ready = graph_.add(meet);
    graph_.wait(backward.event);
    add_send(stage, backward, ready);
    if (step_.rules.delayed_wgrad && !backward.layers.empty()) {
      const int layer = static_cast<int>(backward.layers.size()) - 1;
      const NodeCost& cost = planned(backward, layer, Node::attention_wgrad).cost;
      add_node(stage, backward, layer, Node::attention_wgrad, cost);
    }
  }
  if (forward.present()) {
    add_around(stage, forward, TaskKind::loss, forward.chunk->loss_forward);
  }
  if (backward.present()) {
    add_around(stage, backward, TaskKind::embedding, backward.chunk->embedding_backward);
  }
  Task meet;
  meet.stage = stage;
  meet.kind = TaskKind::meet;
  at(stage).last = graph_.add(meet);
  graph_.wait(forward.event);
  graph_.wait(backward.event);
  if (backward.present()) {
    replicas_.end_backward(graph_, stage, at(stage).last);
  }
}

void NodeTasks::add_layers(int stage, Flow& forward, Flow& backward) {
  const auto ahead = static_cast<int>(forward.layers.size());
  const auto back = static_cast<int>(backward.layers.size());
  for (int i = 0; i < back; ++i) {
    add_layer(stage, forward, i < ahead ? i : -1, backward, i);
  }
  for (int i = back; i < ahead; ++i) {
    add_layer(stage, forward, i, backward, -1);
  }
}

void NodeTasks::add_layer(int stage, Flow& forward, int ahead, Flow& backward, int back) {
  const bool last_backward = back + 1 == static_cast<int>(backward.layers.size());
  for (const Node node : issue_order(step_.rules)) {
    Flow& flow = is_forward(node) ? forward : backward;
    const int layer = is_forward(node) ? ahead : back;
    if (layer < 0 || (node == Node::attention_wgrad && last_backward)) {
      continue;
    }
    const PlannedNode& what = planned(flow, layer, node);
    if (what.runs) {
      add_node(stage, flow, layer, node, what.cost);
    }
  }
}

void NodeTasks::plan() {
  plan_.reserve(step_.table.size() * kNodeCount);
  for (const LayerCost& layer : step_.table) {
    for (std::size_t i = 0; i < kNodeCount; ++i) {
      const auto node = static_cast<Node>(i);
      const bool runs = layer.has(node) && (step_.rules.delayed_wgrad || !is_wgrad(node));
      plan_.push_back({issued_cost(layer, node, step_.rules), runs});
    }
  }
}

const PlannedNode& NodeTasks::planned(const Flow& flow, int layer, Node node) const {
  const auto entry = static_cast<std::size_t>(flow.layers[static_cast<std::size_t>(layer)]);
  return plan_[entry * kNodeCount + static_cast<std::size_t>(node)];
}

void NodeTasks::add_node(int stage, Flow& flow, int layer, Node node, const NodeCost& issued) {
  if (node == Node::dispatch_forward) {
    add_dispatch(stage, flow, layer, issued);
    return;
  }
  add_issued(node_task(stage, flow, layer, node), issued, flow, !is_wgrad(node));
  if (node == Node::attention_forward && flow.piece.micro_batch == 0) {
    graph_.wait(replicas_.gather_of(stage, flow.piece.chunk, layer));
  }
  const Node last = step_.rules.delayed_wgrad ? Node::attention_wgrad : Node::attention_backward;
  if (node == last && flow.piece.micro_batch + 1 == pipeline_.micro_batches) {
    replicas_.add_reduce(graph_, graph_.size() - 1);
  }
}

/// The dispatch of a forward, during which the host may learn the number of incoming tokens.
void NodeTasks::add_dispatch(int stage, Flow& flow, int layer, const NodeCost& cost) {
  Task task = node_task(stage, flow, layer, Node::dispatch_forward);
  const HostSync sync = step_.host ? step_.rules.sync : HostSync::none;
  if (sync == HostSync::none) {
    add_issued(task, cost, flow, true);
    return;
  }
  Task wait = task;
  wait.stream = Stream::host;
  wait.kind = TaskKind::sync;
  wait.duration = step_.rules.sync_cost;
  if (sync == HostSync::before_dispatch) {
    graph_.add(wait);
    graph_.wait(flow.event);
    add_issued(task, cost, flow, true);
    return;
  }
  NodeCost counts = cost;
  counts.gpu = std::min(step_.rules.sync_offset, cost.gpu);
  Task begin = task;
  add_gpu(begin, counts, flow, true);
  const int first = flow.event;
  const int known = graph_.add(wait);
  graph_.wait(first, Wait::start_to_start, step_.rules.sync_offset);
  task.duration = cost.gpu - counts.gpu;
  task.slowdown = step_.contention.comm;
  flow.event = graph_.add(task);
  graph_.wait(known, Wait::end_to_end, step_.rules.launch_latency);
  at(stage).last_issued = flow.event;
  at(stage).last_tail = cost.tail;
}

void NodeTasks::add_around(int stage, Flow& flow, TaskKind kind, const NodeCost& cost) {
  if (cost.gpu <= 0 && cost.host <= 0) {
    return;
  }
  Task task;
  task.stage = stage;
  task.micro_batch = flow.piece.micro_batch;
  task.chunk = flow.piece.chunk;
  task.kind = kind;
  task.backward = flow.backward;
  add_issued(task, cost, flow, true);
}

int NodeTasks::add_host(const Task& like, const NodeCost& cost) {
  if (!step_.host) {
    return -1;
  }
  Task task = like;
  task.stream = Stream::host;
  task.slowdown = 1;
  task.kind = TaskKind::issue;
  task.duration = cost.host;
  return graph_.add(task);
}

/// GPU work after its micro-batch's event (`waits`), which it then records. Returns the host's
/// part: the caller decides what its end means. `task` gets its duration and slow-down.
int NodeTasks::add_gpu(Task& task, const NodeCost& cost, Flow& flow, bool waits) {
  Stage& mine = at(task.stage);
  const int host = add_host(task, cost);
  const Contention& contention = step_.contention;
  task.duration = cost.gpu;
  task.slowdown = task.stream == Stream::comm ? contention.comm : contention.compute;
  const int number = graph_.add(task);
  if (waits) {
    graph_.wait(flow.event);
    flow.event = number;
  }
  graph_.wait(host, Wait::start_to_start, step_.rules.launch_latency);
  if (step_.rules.one_queue && mine.last_issued >= 0) {
    const bool disturbed = contention.compute > 1 || contention.comm > 1;
    const double before =
        graph_.tasks()[static_cast<std::size_t>(mine.last_issued)].duration - mine.last_tail;
    if (disturbed) {
      graph_.wait(mine.last_issued, Wait::start_to_start, std::max(0.0, before));
    } else {
      graph_.wait(mine.last_issued, Wait::end_to_start, -mine.last_tail);
    }
  }
  mine.last_issued = number;
  mine.last_tail = cost.tail;
  return host;
}

void NodeTasks::add_issued(Task task, const NodeCost& cost, Flow& flow, bool waits) {
  const int host = add_gpu(task, cost, flow, waits);
  graph_.wait(host, Wait::end_to_end, step_.rules.launch_latency);
}

void NodeTasks::add_send(int stage, const Flow& flow, int from) {
  const int position = position_of(stage, flow);
  if (position == (flow.backward ? 0 : pipeline_.positions() - 1)) {
    return;
  }
  Task hop;
  hop.stage = stage;
  hop.micro_batch = flow.piece.micro_batch;
  hop.chunk = flow.piece.chunk;
  hop.stream = Stream::wire;
  hop.kind = TaskKind::hop;
  hop.backward = flow.backward;
  hop.duration = step_.hop.seconds;
  const int number = graph_.add(hop);
  graph_.wait(from);
  (flow.backward ? backward_out_ : forward_out_)[index(flow.piece, position)] = number;
}

}  // namespace

TaskGraph node_tasks(const Pipeline& pipeline, const LayeredStep& step) {
  assert(step.chunks.size() == static_cast<std::size_t>(pipeline.positions()) &&
         "a chunk for every position");
  const Replay replay(pipeline);
  return NodeTasks(pipeline, step).build(replay.slots());
}

}  // namespace epwise::schedule
