#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

#include "schedule/replay.h"
#include "schedule/replica_tasks.h"
#include "schedule/step_end.h"
#include "schedule/step_tasks.h"

namespace epwise::schedule {

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
    int last = -1;         // where the streams met behind the last slot
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

/// The dispatch of a forward, in whose middle the host may learn how many tokens come.
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

/// A piece of GPU work behind its micro-batch's event (`waits`), which it then records. Returns the
/// host's part: the caller says what its end means. `task` gets its duration and slowdown.
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
