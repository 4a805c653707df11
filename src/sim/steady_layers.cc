#include "sim/steady_layers.h"

#include <algorithm>

#include "schedule/event_engine.h"
#include "sim/step_nodes.h"

namespace epwise::sim {

namespace {

using schedule::TimelineEvent;

/// Enough layers that those in the middle know nothing of the ends.
constexpr int kLayers = 12;
constexpr int kMiddle = 5;

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

/// Whether the task belongs to one of `count` layers in the middle of its direction.
bool is_shown(const schedule::Task& task, int micro_batch, bool backward, int count) {
  const int place = task.backward ? kLayers - 1 - task.layer : task.layer;
  return task.layer >= 0 && task.micro_batch == micro_batch && task.backward == backward &&
         place >= kMiddle && place < kMiddle + count;
}

SteadyLayers cut(std::string_view title,
                 const schedule::Timeline& stack,
                 int count,
                 int forward_of,
                 int backward_of) {
  SteadyLayers layers;
  layers.title = title;
  layers.layers = count;
  double begin = stack.seconds;
  double end = 0;
  for (const TimelineEvent& event : stack.events) {
    if (is_shown(event.task, forward_of, false, count) ||
        is_shown(event.task, backward_of, true, count)) {
      layers.timeline.events.push_back(event);
      if (event.task.stream != schedule::Stream::host) {
        begin = std::min(begin, event.start);
        end = std::max(end, event.end);
      }
    }
  }
  // A host far ahead would leave little room for the kernels: what it did before is cut off.
  constexpr double kLead = 0.35;
  const double kernels = begin;
  const double earliest = begin - kLead * (end - begin);
  for (const TimelineEvent& event : layers.timeline.events) {
    if (event.end > earliest) {
      begin = std::min(begin, std::max(event.start, earliest));
    }
  }
  std::erase_if(layers.timeline.events,
                [&](const TimelineEvent& event) { return event.end <= begin; });
  for (TimelineEvent& event : layers.timeline.events) {
    event.start = std::max(event.start, begin) - begin;
    event.end -= begin;
  }
  layers.timeline.seconds = end - begin;
  layers.lead = kernels - begin;
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
  constexpr int kNone = -2;
  const schedule::Timeline stack = stack_of(nodes, layer);
  std::vector<SteadyLayers> pictures;
  if (nodes.pipeline.ep_overlap) {
    pictures.push_back(cut(
        "two layers forward beside two layers backward of the micro-batch before", stack, 2, 2, 1));
  } else {
    pictures.push_back(cut("a layer forward", stack, 1, 1, kNone));
    pictures.push_back(cut("a layer backward", stack, 1, kNone, 1));
  }
  for (SteadyLayers& picture : pictures) {
    picture.delayed_weights = nodes.rules.delayed_wgrad;
    picture.experts = layer == StepNodes::kExperts;
  }
  return pictures;
}

}  // namespace epwise::sim
