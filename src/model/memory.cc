#include "model/memory.h"

#include <algorithm>
#include <cmath>

#include "model/activations.h"
#include "model/dispatch_buffers.h"
#include "model/in_flight.h"
#include "model/layer_table.h"
#include "model/parameters.h"
#include "model/states.h"
#include "units/prefixes.h"

namespace epwise::model {

namespace {

constexpr double kFragments = 0.05;
constexpr double kContext = 2 * units::kGiB;

/// What is known of each kind of layer.
struct Tables {
  LayerTable<LayerActivations> activations;
  LayerTable<RankParameters> parameters;
};

/// Of one micro-batch in one chunk.
struct ChunkActivations {
  double saved = 0;
  double largest_layer = 0;  // saved by one layer
  double working_layer = 0;  // gradients and recomputed tensors of a layer's backward pass
  double loss_transient = 0;
  double loss = 0;  // part of `saved`
};

void add_layer(const LayerActivations& layer_bytes,
               bool checkpointed,
               double checkpoint,
               ChunkActivations& chunk) {
  const double saved = checkpointed ? checkpoint : layer_bytes.saved;
  const double again =
      checkpointed ? layer_bytes.saved + layer_bytes.recomputed : layer_bytes.recomputed;
  chunk.saved += saved;
  chunk.largest_layer = std::max(chunk.largest_layer, saved);
  chunk.working_layer = std::max(chunk.working_layer, again + layer_bytes.transient);
}

ChunkActivations chunk_activations(const Workload& workload, const Chunk& chunk, Tables& tables) {
  const auto& model = workload.architecture;
  const auto bytes_of = [&](const Layer& layer) -> const LayerActivations& {
    return tables.activations.get(
        layer, [&](const Layer& kind) { return layer_activations(workload, kind); });
  };
  const auto& recompute = workload.recompute;
  const double input = checkpoint_bytes(workload);
  ChunkActivations result;
  for (int i = 0; i < chunk.layers; ++i) {
    const bool first_of_interval = recompute.block || i % recompute.interval == 0;
    const bool checkpointed = recompute.full && (!recompute.block || i < recompute.interval);
    add_layer(bytes_of(model.layers[static_cast<std::size_t>(chunk.first + i)]),
              checkpointed,
              first_of_interval ? input : 0,
              result);
  }
  if (recompute.full && !recompute.block) {
    result.working_layer *= std::min(recompute.interval, std::max(1, chunk.layers));
  }
  for (int depth = 0; depth < chunk.prediction_depths; ++depth) {
    for (const auto& layer : model.prediction) {
      add_layer(bytes_of(layer), recompute.full, input, result);
    }
    result.saved += 4 * input;  // both norms and what they project
  }
  if (chunk.loss) {
    const auto loss = loss_activations(workload);
    result.loss = loss.saved * (1 + chunk.prediction_depths);
    result.saved += result.loss;
    result.loss_transient = loss.transient;
  }
  return result;
}

/// Static inputs of captured parts, which live as long as their micro-batch.
double graph_bytes(const Workload& workload, double layers_in_flight) {
  const auto& graphs = workload.graphs;
  if (graphs.full_iteration || !(graphs.attention || graphs.mamba || graphs.whole_layers)) {
    return 0;
  }
  return layers_in_flight * checkpoint_bytes(workload);
}

StageMemory stage_memory(const Workload& workload, int stage, Tables& tables) {
  const auto& parallel = workload.parallel;
  const auto plan = flight_plan(workload);
  std::vector<double> saved;
  ChunkActivations sum;
  int layers = 0;
  for (std::size_t c = static_cast<std::size_t>(stage); c < parallel.chunks.size();
       c += static_cast<std::size_t>(parallel.pipeline)) {
    const auto chunk = chunk_activations(workload, parallel.chunks[c], tables);
    saved.push_back(chunk.saved);
    layers += parallel.chunks[c].layers;
    sum.largest_layer = std::max(sum.largest_layer, chunk.largest_layer);
    sum.working_layer = std::max(sum.working_layer, chunk.working_layer);
    sum.loss_transient = std::max(sum.loss_transient, chunk.loss_transient);
    sum.loss = std::max(sum.loss, chunk.loss);
    sum.saved += chunk.saved;
  }
  const auto states =
      state_bytes(workload, stage, rank_parameters(workload, stage, tables.parameters));
  StageMemory memory;
  memory.weights = states.weights;
  memory.gradients = states.gradients;
  memory.optimizer = states.optimizer;
  memory.chunks_in_flight = chunks_in_flight(plan, stage);
  const double held =
      peak_of_chunks(plan, stage, saved) + (workload.exchange.overlap ? sum.largest_layer : 0);
  const double in_flight = static_cast<double>(memory.chunks_in_flight) / plan.virtual_stages;
  const double backward = std::max(sum.working_layer, sum.loss_transient);
  // Into the embedding: one micro-batch of the stage's first chunk has left.
  const double embedding = states.backward_transient - saved.front();
  const double step = states.step_transient - held;
  memory.transient = std::max({backward, embedding, step});
  memory.loss = std::min(sum.loss, held);
  memory.activations = held - memory.loss;
  memory.graphs = graph_bytes(workload, in_flight * layers);
  memory.buffers = dispatch_buffer_bytes(workload);
  return memory;
}

double deviation_of(const Workload& workload, const StageMemory& memory) {
  const double total = memory.allocated();
  const double moving = (memory.activations + memory.transient) / total;
  const double routing = workload.routing.balance == Balance::natural ? 0.15 : 0.02;
  const double graphs = workload.graphs.full_iteration ? 0.10 : 0;
  const double states = 0.02;
  const double activations = std::hypot(0.08, routing);
  return std::hypot(states, moving * activations, graphs);
}

}  // namespace

double needed(const StageMemory& memory) {
  return memory.allocated() * (1 + kFragments) + memory.buffers + kContext;
}

MemoryEstimate estimate_memory(const Workload& workload) {
  MemoryEstimate estimate;
  Tables tables;
  for (int stage = 0; stage < workload.parallel.pipeline; ++stage) {
    estimate.stages.push_back(stage_memory(workload, stage, tables));
    const auto& last = estimate.stages.back();
    if (needed(last) > estimate.needed) {
      estimate.needed = needed(last);
      estimate.allocated = last.allocated();
      estimate.fullest = stage;
    }
  }
  estimate.deviation =
      deviation_of(workload, estimate.stages[static_cast<std::size_t>(estimate.fullest)]);
  return estimate;
}

double out_of_memory(const MemoryEstimate& estimate, double capacity) {
  const double spread = estimate.deviation * estimate.needed;
  if (spread <= 0) {
    return estimate.needed > capacity ? 1 : 0;
  }
  return 0.5 * std::erfc((capacity - estimate.needed) / (spread * std::sqrt(2.0)));
}

}  // namespace epwise::model
