#include "perf/sim/step/step_nodes.h"

#include <algorithm>
#include <cstddef>

#include "perf/schedule/event_engine.h"
#include "perf/sim/layer/layer_passes.h"
#include "perf/sim/step/step.h"

namespace epwise::sim {

namespace {

using schedule::TimelineEvent;

/// Enough layers that those in the middle are unaffected by the ends.
constexpr int kLayers = 12;
constexpr int kMiddle = 5;

/// The part of the stack shown in a picture.
struct Shown {
  std::string_view title;
  int count = 1;       // layers of each direction
  int forward_of = 0;  // micro-batches; kNone: not shown
  int backward_of = 0;
  bool exchanges_only = false;
};

constexpr int kNone = -2;

/// Three micro-batches of a stack of equal layers, alone on a GPU.
schedule::Timeline stack_of(StepNodes nodes, int layer) {
  nodes.pipeline.stages = 1;
  nodes.pipeline.chunks = 1;
  nodes.pipeline.group = 0;
  nodes.pipeline.micro_batches = 3;
  nodes.runs = {{schedule::LayerRun{layer, kLayers}}};
  nodes.chunks.assign(1, {});
  nodes.gather.clear();
  nodes.reduce.clear();
  nodes.optimizer = 0;
  return schedule::run(task_graph(nodes));
}

/// The start of the first kernel of the layer at one position of the stack, in any requested
/// direction; only of exchanges if those repeat without a gap.
double first_kernel(const schedule::Timeline& stack, const Shown& shown, int place) {
  double begin = stack.seconds;
  for (const TimelineEvent& event : stack.events) {
    const schedule::Task& task = event.task;
    const int at = task.backward ? kLayers - 1 - task.layer : task.layer;
    const bool kernel = task.stream == schedule::Stream::comm ||
                        (task.stream == schedule::Stream::compute && !shown.exchanges_only);
    if (task.layer >= 0 && kernel && at == place &&
        task.micro_batch == (task.backward ? shown.backward_of : shown.forward_of)) {
      begin = std::min(begin, event.start);
    }
  }
  return begin;
}

/// The streams from the first kernel of some layers in the middle to that of the next ones: the
/// step repeats this, so nothing is missing at either end.
SteadyLayers cut(const Shown& shown, const schedule::Timeline& stack) {
  SteadyLayers layers;
  layers.title = shown.title;
  layers.layers = shown.count;
  const double begin = first_kernel(stack, shown, kMiddle);
  const double end = first_kernel(stack, shown, kMiddle + shown.count);
  constexpr double kNothing = 1e-9;  // s
  for (TimelineEvent event : stack.events) {
    event.start = std::max(event.start, begin) - begin;
    event.end = std::min(event.end, end) - begin;
    if (event.end - event.start > kNothing) {
      layers.timeline.events.push_back(event);
    }
  }
  layers.timeline.seconds = end - begin;
  return layers;
}

}  // namespace

std::vector<SteadyLayers> steady_layers(const StepWork& work, const Constants& constants) {
  const StepNodes nodes = step_nodes(work, constants, {});
  const auto has = [&](int layer) {
    return std::ranges::any_of(nodes.runs, [&](const auto& runs) {
      return std::ranges::find(runs, layer, &schedule::LayerRun::layer) != runs.end();
    });
  };
  const int layer = has(StepNodes::kExperts) ? StepNodes::kExperts : StepNodes::kDense;
  if (!has(layer)) {
    return {};
  }
  const schedule::Timeline stack = stack_of(nodes, layer);
  std::vector<SteadyLayers> pictures;
  if (nodes.pipeline.ep_overlap) {
    pictures.push_back(
        cut({"two layers forward beside two layers backward of the micro-batch before",
             2,
             2,
             1,
             layer == StepNodes::kExperts},
            stack));
  } else {
    pictures.push_back(cut({"a layer forward", 1, 1, kNone, false}, stack));
    pictures.push_back(cut({"a layer backward", 1, kNone, 1, false}, stack));
  }
  for (SteadyLayers& picture : pictures) {
    picture.delayed_weights = nodes.rules.delayed_wgrad;
    picture.experts = layer == StepNodes::kExperts;
  }
  return pictures;
}

namespace {

using schedule::LayerCost;
using schedule::Node;

void add_gpu(LayerCost& cost, const Passes& more) {
  cost[Node::attention_forward].gpu += more.forward;
  cost[Node::attention_backward].gpu += more.backward;
}

LayerCost expert_layer(const LayerTimes& times, double host_factor, bool delayed) {
  LayerCost cost = node_costs(times, host_factor, delayed);
  cost[Node::combine_backward].gpu += times.replayed_exchange;
  return cost;
}

/// The chunk at a position; in a pipeline that could not be interleaved, all chunks of a stage are
/// at one.
void add_chunks(const StepWork& work, const LayerPasses& layers, StepNodes& nodes) {
  const auto positions = static_cast<std::size_t>(nodes.pipeline.positions());
  nodes.chunks.resize(positions);
  nodes.runs.resize(positions);
  for (std::size_t i = 0; i < work.chunks.size(); ++i) {
    const ChunkWork& chunk = work.chunks[i];
    schedule::ChunkCost& cost = nodes.chunks[i % positions];
    if (chunk.embedding) {
      cost.embedding_forward.gpu = layers.embedding.forward;
      cost.embedding_backward.gpu = layers.embedding.backward;
    }
    if (chunk.loss) {
      cost.loss_forward.gpu = layers.head.forward;
      cost.loss_backward.gpu = layers.head.backward;
    }
    for (const schedule::LayerRun& run :
         {schedule::LayerRun{StepNodes::kDense, chunk.dense_layers},
          schedule::LayerRun{StepNodes::kExperts, chunk.moe_layers},
          schedule::LayerRun{StepNodes::kPrediction, chunk.predictions}}) {
      if (run.count > 0) {
        nodes.runs[i % positions].push_back(run);
      }
    }
  }
}

int layers_of(const ChunkWork& chunk) {
  return chunk.dense_layers + chunk.moe_layers + chunk.predictions;
}

/// The replicas' traffic, by layers; with sharded weights, in every pass.
void add_traffic(const StepWork& work,
                 const Constants& constants,
                 const StepTimes& closed,
                 StepNodes& nodes) {
  std::vector<int> of_stage(static_cast<std::size_t>(nodes.pipeline.stages), 0);
  for (std::size_t i = 0; i < work.chunks.size(); ++i) {
    of_stage[i % of_stage.size()] += layers_of(work.chunks[i]);
  }
  if (work.job->sharding != workload::Sharding::none) {
    const double passes = 1.0 * nodes.pipeline.micro_batches * std::max(1, of_stage.front());
    const double each = closed.data_parallel / passes / 2;
    for (LayerCost& cost : nodes.table) {
      add_gpu(cost, {each, each, 0});
    }
    return;
  }
  // Traffic gets at most `dp_window` of a pass, and nothing without overlap: the stream is idle for
  // the rest.
  const auto stream = [&](double ring, double pass, bool overlap) {
    const double idle = overlap ? 1 - std::min(1.0, constants.dp_window) : 1;
    return ring > 0 ? ring * constants.dp_ring + idle * pass : 0;
  };
  const workload::Optimizer& optimizer = work.job->optimizer;
  const double gather =
      stream(work.update.weight_ring, closed.stage.forward, optimizer.overlap_weights);
  const double reduce =
      stream(work.update.gradient_ring, closed.stage.backward, optimizer.overlap_gradients);
  for (int position = 0; position < nodes.pipeline.positions(); ++position) {
    const auto at = static_cast<std::size_t>(position);
    int layers = 0;
    for (const schedule::LayerRun& run : nodes.runs[at]) {
      layers += run.count;
    }
    const double share = layers / std::max(1.0, 1.0 * of_stage[at % of_stage.size()]);
    nodes.gather.push_back(share * gather);
    nodes.reduce.push_back(share * reduce);
  }
}

schedule::Contention contention_of(const StepWork& work, const Constants& constants) {
  const double taken = work.job->exchange.sms;
  const double lost = 1 + constants.overlap_loss;
  return {lost * (1 + taken / (work.machine.sms - taken) * constants.overlap_sms),
          lost * constants.overlap_exchange};
}

/// The smallest number of micro-batches, at least this many, whose pipeline Megatron would run.
schedule::Pipeline shortened(schedule::Pipeline pipeline, int micro_batches) {
  const int all = pipeline.micro_batches;
  pipeline.micro_batches = std::max(1, micro_batches);
  while (pipeline.micro_batches < all && !schedule::defect(pipeline).empty()) {
    ++pipeline.micro_batches;
  }
  return pipeline;
}

bool host_works(const StepNodes& nodes) {
  return std::ranges::any_of(nodes.table, [](const LayerCost& cost) {
    return std::ranges::any_of(cost.nodes,
                               [](const schedule::NodeCost& node) { return node.host > 0; });
  });
}

/// About how many.
int tasks_of_micro_batch(const StepNodes& nodes) {
  int layers = 0;
  for (const auto& runs : nodes.runs) {
    for (const schedule::LayerRun& run : runs) {
      layers += run.count;
    }
  }
  constexpr int kNodes = 10;
  return layers * kNodes * (host_works(nodes) ? 2 : 1);
}

}  // namespace

StepNodes step_nodes(const StepWork& work, const Constants& constants, const Effects& effects) {
  const workload::Workload& job = *work.job;
  const Prices prices = prices_of(work, constants, effects);
  const LayerPasses layers = layer_passes(work, constants, prices, effects);
  const StepTimes closed = evaluate(work, constants, effects);
  const double factor = overlap_host_factor(job.exchange, constants);
  const bool delayed = job.exchange.overlap && job.exchange.delayed_wgrad;
  const LayerTimes times = layer_times(work, work.mixer, constants, prices, effects);
  StepNodes nodes;
  nodes.pipeline = work.pipeline;
  nodes.table.push_back(node_costs(dense_times(work, work.mixer, prices), factor, delayed));
  nodes.table.push_back(expert_layer(times, factor, delayed));
  add_gpu(nodes.table.back(), layers.offload);
  const Piece& mixer = work.prediction_mixer;
  nodes.table.push_back(
      work.predicts_densely()
          ? node_costs(dense_times(work, mixer, prices), factor, delayed)
          : expert_layer(layer_times(work, mixer, constants, prices, effects), factor, delayed));
  LayerCost& prediction = nodes.table.back();
  prediction.post = true;
  prediction[Node::post_forward].gpu =
      gpu_time(work.prediction.forward, prices) + layers.head.forward;
  prediction[Node::post_backward].gpu = gpu_time(work.prediction.data, prices) +
                                        gpu_time(work.prediction.weights, prices) +
                                        layers.head.backward;
  add_chunks(work, layers, nodes);
  if (effects.data_parallel) {
    add_traffic(work, constants, closed, nodes);
  }
  nodes.rules = issue_rules(times, delayed, constants.launch_latency);
  nodes.rules.one_queue = job.exchange.overlap && job.exchange.one_queue;
  nodes.hop.seconds = work.transfer * constants.pipeline_transfer;
  nodes.hop.overlapped = work.pipeline.chunks > 1 && job.parallel.transfers_overlap;
  if (effects.contention && job.exchange.overlap) {
    nodes.contention = contention_of(work, constants);
  }
  nodes.optimizer = closed.optimizer + closed.fixed;
  return nodes;
}

schedule::TaskGraph task_graph(const StepNodes& nodes, int micro_batches) {
  std::vector<schedule::ChunkCost> chunks = nodes.chunks;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    chunks[i].layers = nodes.runs[i];
  }
  schedule::LayeredStep step;
  step.table = nodes.table;
  step.chunks = chunks;
  step.rules = nodes.rules;
  step.hop = nodes.hop;
  step.replicas.gather = nodes.gather;
  step.replicas.reduce = nodes.reduce;
  step.optimizer = nodes.optimizer;
  step.contention = nodes.contention;
  step.host = host_works(nodes);
  const schedule::Pipeline pipeline =
      micro_batches > 0 ? shortened(nodes.pipeline, micro_batches) : nodes.pipeline;
  return schedule::node_tasks(pipeline, step);
}

StepRun run_events(const StepWork& work,
                   const Constants& constants,
                   const Effects& effects,
                   int most_tasks) {
  StepRun run;
  run.nodes = step_nodes(work, constants, effects);
  run.micro_batches = run.nodes.pipeline.micro_batches;
  if (most_tasks > 0) {
    const int each = tasks_of_micro_batch(run.nodes);
    run.micro_batches = std::min(run.micro_batches, std::max(2, most_tasks / std::max(1, each)));
    run.micro_batches = shortened(run.nodes.pipeline, run.micro_batches).micro_batches;
  }
  run.timeline = schedule::run(task_graph(run.nodes, run.micro_batches));
  return run;
}

}  // namespace epwise::sim
