#include "sim/step/steady_layers.h"

#include <algorithm>

#include "schedule/event_engine.h"
#include "sim/step/step_nodes.h"

namespace epwise::sim {

namespace {

using schedule::TimelineEvent;

/// Enough layers that those in the middle know nothing of the ends.
constexpr int kLayers = 12;
constexpr int kMiddle = 5;

/// What of the stack a picture shows.
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

/// When the first kernel starts of the layer at one place of the stack, of either direction that is
/// asked for; of exchanges alone where those are what repeats without a gap.
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

/// What the streams do from the first kernel of some layers in the middle to that of the next ones:
/// the step repeats it, so that nothing is missing at either end.
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

}  // namespace epwise::sim
