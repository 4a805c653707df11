#include "perf/workload/memory.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>

#include "base/units/quantity.h"
#include "perf/workload/parameters.h"

namespace epwise::workload {

namespace {

constexpr double kFragments = 0.05;
constexpr double kBf16Bytes = 2;
constexpr double kContext = 3 * units::kGiB;
/// Of cuBLAS and Transformer Engine: 32 MiB a stream, several streams for grouped GEMMs.
constexpr double kWorkspaces = 0.4 * units::kGiB;

/// Cached results per kind of layer.
struct Tables {
  LayerTable<LayerActivations> activations;
  LayerTable<RankParameters> parameters;
};

/// For one micro-batch in one chunk.
struct ChunkActivations {
  double saved = 0;
  double largest_layer = 0;  // saved by one layer
  double working_layer = 0;  // gradients and recomputed tensors of a layer's backward pass
  double loss_transient = 0;
  double loss = 0;       // part of `saved`
  double lingering = 0;  // what recomputed experts hold after the chunk's backward pass
};

/// Inputs of recomputed segments with experts, and their gradients: the dispatcher keeps the graph of the
/// probabilities of its last call.
double lingering_bytes(const Workload& workload, const Chunk& chunk, double input) {
  const auto& recompute = workload.recompute;
  if (!recompute.inputs_stay || !(recompute.full || recompute.experts)) {
    return 0;
  }
  const int step = recompute.full && !recompute.block ? recompute.interval : 1;
  const int layers =
      recompute.full && recompute.block ? std::min(recompute.interval, chunk.layers) : chunk.layers;
  int segments = 0;
  for (int i = 0; i < layers; i += step) {
    const auto first = workload.architecture.layers.begin() + chunk.first + i;
    segments += std::any_of(first, first + std::min(step, layers - i), [](const Layer& layer) {
      return layer.feed_forward == FeedForward::experts;
    });
  }
  return 2 * segments * input;
}

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
    const bool offloaded = i < workload.offload.whole_layers;
    const bool checkpointed =
        offloaded || (recompute.full && (!recompute.block || i < recompute.interval));
    add_layer(bytes_of(model.layers[static_cast<std::size_t>(chunk.first + i)]),
              checkpointed,
              first_of_interval && !offloaded ? input : 0,
              result);
  }
  if (recompute.full && !recompute.block) {
    result.working_layer *= std::min(recompute.interval, std::max(1, chunk.layers));
  }
  for (int depth = 0; depth < chunk.prediction_depths; ++depth) {
    for (const auto& layer : model.prediction) {
      add_layer(bytes_of(layer), recompute.full, input, result);
    }
    result.saved += 4 * input;  // both norms and their projections
  }
  result.lingering = lingering_bytes(workload, chunk, input);
  if (chunk.embedding && model.vision.layers > 0) {
    const LayerActivations vision = vision_activations(workload);
    result.saved += vision.saved;
    result.working_layer = std::max(result.working_layer, vision.recomputed + vision.transient);
  }
  if (chunk.loss) {
    const auto loss = loss_activations(workload);
    result.loss = loss.saved * (1 + chunk.prediction_depths);
    result.saved += result.loss;
    result.loss_transient = loss.transient;
  }
  return result;
}

/// Static inputs of captured parts, alive as long as their micro-batch; old stacks keep them for
/// every micro-batch of the step. What a whole captured iteration frees stays in its pool: measured
/// peaks exceed the tensors by 0.2 to 0.4 of the activations.
double graph_bytes(const Workload& workload, double in_flight, int layers, double activations) {
  constexpr double kPool = 0.25;
  const auto& graphs = workload.graphs;
  if (graphs.full_iteration) {
    return kPool * activations;
  }
  if (!(graphs.attention || graphs.mamba || graphs.whole_layers)) {
    return 0;
  }
  const double kept = graphs.every_micro_batch ? workload.batch.microbatches : in_flight;
  return kept * layers * checkpoint_bytes(workload);
}

StageMemory stage_memory(const Workload& workload, int stage, Tables& tables) {
  const auto& parallel = workload.parallel;
  const auto plan = flight_plan(workload);
  std::vector<double> saved;
  ChunkActivations sum;
  double after = 0;  // what a chunk holds after its backward pass, over what it held before
  int layers = 0;
  for (std::size_t c = static_cast<std::size_t>(stage); c < parallel.chunks.size();
       c += static_cast<std::size_t>(parallel.pipeline)) {
    const auto chunk = chunk_activations(workload, parallel.chunks[c], tables);
    saved.push_back(chunk.saved);
    after = std::max(after, chunk.lingering - chunk.saved);
    layers += parallel.chunks[c].layers;
    sum.largest_layer = std::max(sum.largest_layer, chunk.largest_layer);
    sum.working_layer = std::max(sum.working_layer, chunk.working_layer);
    sum.loss_transient = std::max(sum.loss_transient, chunk.loss_transient);
    sum.loss = std::max(sum.loss, chunk.loss);
    sum.saved += chunk.saved;
  }
  const RankParameters parameters = rank_parameters(workload, stage, tables.parameters);
  const auto states = state_bytes(workload, stage, parameters);
  StageMemory memory;
  memory.weights = states.weights;
  memory.gradients = states.gradients;
  memory.optimizer = states.optimizer;
  memory.chunks_in_flight = chunks_in_flight(plan, stage);
  const double held =
      peak_of_chunks(plan, stage, saved) + (workload.exchange.overlap ? sum.largest_layer : 0);
  const double in_flight = static_cast<double>(memory.chunks_in_flight) / plan.virtual_stages;
  const double backward = std::max(sum.working_layer + after, sum.loss_transient);
  // Into the embedding: one micro-batch of the stage's first chunk is finished.
  const double embedding = states.backward_transient - saved.front();
  const double step = states.step_transient - held;
  memory.transient = std::max({backward, embedding, step}) + kWorkspaces;
  if (workload.sharding == Sharding::weights && layers > 0) {
    // Gathered weights of a layer, and of the next one.
    memory.transient +=
        2 * kBf16Bytes * (parameters.dense - parameters.embedding + parameters.expert) / layers;
  }
  memory.loss = std::min(sum.loss, held);
  memory.activations = held - memory.loss;
  memory.graphs = graph_bytes(workload, in_flight, layers, memory.activations);
  memory.buffers = dispatch_buffer_bytes(workload);
  return memory;
}

double deviation_of(const Workload& workload, const StageMemory& memory) {
  const double total = memory.allocated();
  const double moving = (memory.activations + memory.transient) / total;
  constexpr double kAnyExcess = 2;
  const bool even = workload.routing.is_forced() || workload.routing.limited(kAnyExcess) <= 1;
  const double routing = even ? 0.02 : 0.15;
  const double graphs = workload.graphs.full_iteration ? 0.10 : 0;
  const double states = 0.02;
  const double activations = std::hypot(0.08, routing);
  return std::hypot(states, moving * activations, graphs);
}

}  // namespace

double needed(const StageMemory& memory) {
  return memory.allocated() * (1 + kFragments) + memory.buffers + kContext;
}

namespace {

/// What 2-byte gradients and moments spare, as in NVIDIA's performance recipes.
double spared(const Optimizer& optimizer, const StageMemory& stage) {
  constexpr double kHalf = 0.5;
  const double moments = optimizer.moments / (optimizer.main_weight + optimizer.moments);
  const double gradients = std::max(0.0, 1 - kBf16Bytes / optimizer.gradient);
  return kHalf * moments * stage.optimizer + gradients * stage.gradients;
}

}  // namespace

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
  const StageMemory& fullest = estimate.stages[static_cast<std::size_t>(estimate.fullest)];
  estimate.deviation = deviation_of(workload, fullest);
  if (workload.optimizer.open) {
    estimate.lighter = estimate.needed - (1 + kFragments) * spared(workload.optimizer, fullest);
  }
  return estimate;
}

namespace {

double exceeds(double needed, double deviation, double capacity) {
  const double spread = deviation * needed;
  if (spread <= 0) {
    return needed > capacity ? 1 : 0;
  }
  return 0.5 * std::erfc((capacity - needed) / (spread * std::sqrt(2.0)));
}

}  // namespace

double out_of_memory(const MemoryEstimate& estimate, double capacity) {
  // Of 279 published runs, 76 say that their moments are BF16.
  constexpr double kLighter = 0.3;
  const double assumed = exceeds(estimate.needed, estimate.deviation, capacity);
  if (estimate.lighter <= 0) {
    return assumed;
  }
  return (1 - kLighter) * assumed +
         kLighter * exceeds(estimate.lighter, estimate.deviation, capacity);
}

namespace {

/// Bytes of a value as a GEMM keeps its input for the weight gradient.
double kept_input(Precision precision) {
  switch (precision) {
    case Precision::bf16:
      return kBf16Bytes;
    case Precision::fp8_tensor:
      return 1;
    case Precision::fp8_block:
    case Precision::mxfp8:
      return 1 + 1.0 / 32;
    case Precision::nvfp4:
      break;
  }
  return 0.5 + 1.0 / 16;
}

/// Sums up what is kept; tensors that a module recomputes are subtracted, and added back for one
/// layer.
class Sum {
 public:
  void keep(double bytes, bool recomputed = false, bool offloaded = false) {
    if (recomputed) {
      result_.recomputed += bytes;
    } else if (!offloaded) {
      result_.saved += bytes;
    }
  }

  void transient(double bytes) { result_.transient = std::max(result_.transient, bytes); }

  const LayerActivations& result() const { return result_; }

 private:
  LayerActivations result_;
};

/// Tokens whose hidden states a rank keeps outside tensor-parallel regions.
double kept_tokens(const Workload& workload) {
  return workload.parallel.sequence ? workload.tokens() : workload.group_tokens();
}

/// The matrices of scores that unfused attention keeps; returns what else one layer needs of them.
double add_scores(const Workload& workload, Sum& sum) {
  const auto& stored = workload.kernels.scores;
  const auto& model = workload.architecture;
  const double heads = static_cast<double>(model.attention.heads) / workload.parallel.tensor;
  const double scores = workload.group_tokens() * model.sequence * heads;
  sum.keep(scores * stored.kept, workload.recompute.core_attention);
  return scores * stored.transient;
}

void add_attention(const Workload& workload, Sum& sum) {
  const auto& a = workload.architecture.attention;
  const double tensor = workload.parallel.tensor;
  const double heads = a.heads / tensor;
  const double groups = std::max(1.0, a.groups / tensor);
  const double tokens = workload.group_tokens();
  const double queries = tokens * heads * a.head_dim * kBf16Bytes;
  const double keys = tokens * groups * a.head_dim * kBf16Bytes;
  const auto& offload = workload.offload;
  // Queries, keys and values as projected, and queries and keys with positions.
  sum.keep(queries * (a.output_gate ? 2 : 1) + 2 * keys, false, offload.queries_keys_values);
  sum.keep(queries + keys, false, offload.core_attention);
  sum.keep(queries, false, offload.attention_projection);  // output, the projection's input
  sum.keep(tokens * heads * 4);                            // log-sum-exp
  const double scores = add_scores(workload, sum);
  if (scores > 0 && heads > groups) {
    sum.keep(2 * queries, workload.recompute.core_attention);  // keys and values of every head
  }
  sum.transient(3 * queries + 2 * keys + scores);
}

void add_latent(const Workload& workload, Sum& sum) {
  const auto& a = workload.architecture.latent;
  const double heads =
      static_cast<double>(workload.architecture.attention.heads) / workload.parallel.tensor;
  const double own = kept_tokens(workload);
  const double tokens = workload.group_tokens();
  const auto& offload = workload.offload;
  const bool again = workload.recompute.latent_projections;
  const double key = a.head_dim + a.rotary_dim;
  sum.keep(own * (a.query_rank + a.key_value_rank + a.rotary_dim) * kBf16Bytes);
  sum.keep(own * (a.query_rank + a.key_value_rank) * kBf16Bytes, again);  // after their norms
  sum.keep(tokens * heads * (2 * key + a.value_dim) * kBf16Bytes, again, offload.core_attention);
  sum.keep(tokens * heads * a.value_dim * kBf16Bytes, false, offload.attention_projection);
  sum.keep(tokens * heads * 4);
  const double scores = add_scores(workload, sum);
  sum.transient(tokens * heads * (2 * key + 2 * a.value_dim) * kBf16Bytes + scores);
}

void add_mamba(const Workload& workload, Sum& sum) {
  const auto& a = workload.architecture.mamba;
  const double tensor = workload.parallel.tensor;
  const double inner = a.heads / tensor * a.head_dim;
  const double states = std::max(1.0, a.groups / tensor) * a.state;
  const double tokens = workload.group_tokens();
  sum.keep(tokens * (2 * inner + 2 * states + a.heads / tensor) * kBf16Bytes);  // projected
  sum.keep(tokens * inner * kBf16Bytes);  // of the scan, input of the gated norm
  sum.keep(tokens * inner * kept_input(workload.precision));
  // The fused kernel computes the convolution and the states, in fp32, again.
  constexpr double kChunk = 128;
  const double again =
      tokens * (inner + 2 * states) * kBf16Bytes + tokens / kChunk * inner * a.state * 4;
  sum.transient(4 * tokens * inner * kBf16Bytes + again);
}

void add_delta_net(const Workload& workload, Sum& sum) {
  const auto& a = workload.architecture.delta_net;
  const double tensor = workload.parallel.tensor;
  const double keys = static_cast<double>(a.key_heads) * a.key_dim / tensor;
  const double values = static_cast<double>(a.value_heads) * a.value_dim / tensor;
  const double tokens = workload.group_tokens();
  sum.keep(tokens * (2 * keys + 2 * values + 2 * a.value_heads / tensor) *
           kBf16Bytes);                                 // projected
  sum.keep(tokens * (2 * keys + values) * kBf16Bytes);  // after the convolution
  // Keys and queries are normalised and repeated for the value heads.
  const double repeated = a.value_heads / tensor * a.key_dim;
  sum.keep(tokens * (2 * repeated + values) * kBf16Bytes);
  sum.keep(tokens * values *
           (kBf16Bytes + kept_input(workload.precision)));  // output, its gated norm
  constexpr double kChunk = 64;
  sum.keep(tokens * a.value_heads / tensor * kChunk * kBf16Bytes);  // within chunks of the scan
  sum.transient(4 * tokens * values * kBf16Bytes);
}

void add_mixer(const Workload& workload, Mixer mixer, Sum& sum) {
  if (mixer == Mixer::none) {
    return;
  }
  const double hidden = kept_tokens(workload) * workload.architecture.hidden;
  sum.keep(hidden * kBf16Bytes, false, workload.offload.attention_norm);
  sum.keep(hidden * kept_input(workload.precision), workload.recompute.norms);
  switch (mixer) {
    case Mixer::attention:
    case Mixer::windowed:
      add_attention(workload, sum);
      break;
    case Mixer::latent:
      add_latent(workload, sum);
      break;
    case Mixer::mamba:
      add_mamba(workload, sum);
      break;
    case Mixer::delta_net:
      add_delta_net(workload, sum);
      break;
    case Mixer::none:
      break;
  }
}

/// Around the activation of a dense MLP.
void add_mlp(const Workload& workload, double width, bool again, Sum& sum) {
  const double values = workload.group_tokens() * width / workload.parallel.tensor;
  const double before = workload.architecture.mlp_matrices() - 1;
  sum.keep(values * before * kBf16Bytes, again);
  sum.keep(values * kept_input(workload.precision), again);
  if (!workload.kernels.fused_activation) {
    sum.keep(values * kBf16Bytes, again);  // of the gate
  }
  sum.transient(values * (before + 1) * kBf16Bytes);
}

/// A rank that a trained router overloads in one layer is underloaded in another: over the layers
/// of a stage less of the excess remains than for a single layer.
double held_excess(const Routing& routing) {
  constexpr double kNatural = 1.1;
  constexpr double kHeld = 0.42;  // of the excess of a single layer, 1.24 with natural routing
  if (routing.imbalance > 0) {
    return 1 + kHeld * (routing.imbalance - 1);
  }
  return routing.is_forced() ? 1 : routing.limited(kNatural);
}

/// What experts keep in memory, over what the balanced rows need: all rows of static buffers, or the
/// pages of a stash.
double kept_share(const Routing& routing) {
  if (routing.rank_capacity <= 1) {
    return held_excess(routing);
  }
  return routing.stash > 0 ? std::min(routing.stash, routing.rank_capacity) : routing.rank_capacity;
}

/// Bytes that an expert keeps of one row.
struct ExpertRow {
  double input = 0;
  double before = 0;  // before the activation …
  double after = 0;   // … and after it
};

ExpertRow expert_row(const Workload& workload) {
  const auto& model = workload.architecture;
  const double ffn = static_cast<double>(model.experts.ffn) / workload.parallel.expert_tensor;
  const double input = kept_input(workload.precision);
  return {
      model.dispatch_width() * input, ffn * (model.mlp_matrices() - 1) * kBf16Bytes, ffn * input};
}

void add_experts(const Workload& workload, Sum& sum) {
  const auto& model = workload.architecture;
  const auto load = expert_load(workload);
  const auto& recompute = workload.recompute;
  const auto& offload = workload.offload;
  const bool again = recompute.experts;
  const double input = kept_input(workload.precision);
  const double tokens = workload.tokens();
  const double width = model.dispatch_width();
  const double ffn = static_cast<double>(model.experts.ffn) / workload.parallel.expert_tensor;
  const double before = model.mlp_matrices() - 1;
  const double rows = load.rows * kept_share(workload.routing);
  sum.keep(tokens * model.experts.count * 13, again);
  if (model.experts.latent > 0) {
    sum.keep(2 * tokens * width * input, again);
  }
  const ExpertRow row = expert_row(workload);
  sum.keep(rows * row.input, again, offload.expert_input);
  sum.keep(rows * row.before, again, offload.expert_activation);
  sum.keep(rows * row.after, again || recompute.expert_activation);
  sum.keep(rows * 4, again);  // probabilities
  if (workload.routing.stash > 0) {
    sum.keep(stashed_bytes(workload) * workload.routing.rank_capacity, true);  // read back
  }
  // NCCL's all-to-all copies the rows before the exchange and sorts them after it.
  const double copies = workload.exchange.dispatcher == Dispatcher::alltoall ? 4 : 2;
  sum.transient(load.padded_rows * (copies * width + (before + 1) * ffn) * kBf16Bytes);
  if (model.experts.shared_ffn > 0) {
    add_mlp(workload, model.experts.shared_ffn, again || recompute.shared_expert, sum);
  }
}

void add_feed_forward(const Workload& workload, FeedForward feed_forward, Sum& sum) {
  if (feed_forward == FeedForward::none) {
    return;
  }
  const double hidden = kept_tokens(workload) * workload.architecture.hidden;
  const bool experts = feed_forward == FeedForward::experts;
  sum.keep(hidden * kBf16Bytes, false, workload.offload.feed_forward_norm);
  sum.keep(hidden * (experts ? kBf16Bytes : kept_input(workload.precision)),
           workload.recompute.norms);
  if (experts) {
    add_experts(workload, sum);
  } else {
    add_mlp(workload, workload.architecture.dense_ffn, workload.recompute.dense_mlp, sum);
  }
}

}  // namespace

LayerActivations layer_activations(const Workload& workload, const Layer& layer) {
  Sum sum;
  add_mixer(workload, layer.mixer, sum);
  add_feed_forward(workload, layer.feed_forward, sum);
  return sum.result();
}

LayerActivations vision_activations(const Workload& workload) {
  const VisionEncoder& vision = workload.architecture.vision;
  const Workload encoder = vision_workload(workload);
  const double merged = encoder.group_tokens() * vision.hidden;  // of all patches
  LayerActivations result;
  if (!vision.projection_frozen || !vision.frozen) {
    // Their input, and both sides of the activation between two matrices.
    result.saved += 3 * vision.projections * merged * kBf16Bytes;
  }
  if (vision.frozen) {
    return result;
  }
  const LayerActivations layer = layer_activations(encoder, encoder.architecture.layers.front());
  const bool again = workload.recompute.full;
  result.saved += vision.layers * (again ? checkpoint_bytes(encoder) : layer.saved);
  result.recomputed = again ? layer.saved : 0;
  result.transient = layer.transient;
  return result;
}

double stashed_bytes(const Workload& workload) {
  const ExpertRow row = expert_row(workload);
  return expert_load(workload).rows *
         (row.input + row.before + (workload.recompute.expert_activation ? 0 : row.after));
}

double checkpoint_bytes(const Workload& workload) {
  return kept_tokens(workload) * workload.architecture.hidden * kBf16Bytes;
}

LossActivations loss_activations(const Workload& workload) {
  const double logits =
      workload.group_tokens() * workload.architecture.padded_vocab / workload.parallel.tensor;
  const double each = workload.kernels.fused_loss ? 2 : 4;
  return {each * logits + 2 * checkpoint_bytes(workload), each * logits};
}

namespace {

/// What a buffer of DeepEP holds for each of its channels: csrc/config.hpp and deep_ep/buffer.py of its
/// release 1.2.1, the larger of dispatch and combine.
struct DeepEpTokens {
  int ranks = 0;    // for up to so many
  int inside = 0;   // tokens of each rank of a node
  int outside = 0;  // tokens of each node
};

constexpr std::array kDeepEpTokens = std::to_array<DeepEpTokens>({{8, 256, 0},
                                                                  {16, 288, 140},
                                                                  {32, 288, 128},
                                                                  {64, 288, 140},
                                                                  {128, 560, 132},
                                                                  {144, 720, 132},
                                                                  {160, 720, 140}});

/// DeepEP's buffers: what NVLink writes to, and what the network does, in NVSHMEM's heap.
double deepep_bytes(const Workload& workload, int ranks) {
  constexpr int kNodeRanks = 8;                              // NUM_MAX_NVL_PEERS
  constexpr double kPerToken = 8 + 128 * (8 + 4) + 128 * 4;  // origin, top-k and scales of a token
  constexpr double kWorkspace = units::kGiB / 32;
  constexpr double kGranule = units::kGiB / 2;  // NVSHMEM_CUMEM_GRANULARITY, as DeepEP sets it
  const auto* tokens = std::ranges::find_if(
      kDeepEpTokens, [&](const DeepEpTokens& row) { return ranks <= row.ranks; });
  if (tokens == kDeepEpTokens.end()) {
    --tokens;
  }
  const double channels = workload.exchange.sms / 2.0;
  const double token = kBf16Bytes * workload.architecture.dispatch_width() + kPerToken;
  const double inside = channels * std::min(ranks, kNodeRanks) * tokens->inside * token;
  if (ranks <= kNodeRanks) {
    return inside + kWorkspace;
  }
  const double nodes = std::ceil(ranks / static_cast<double>(kNodeRanks));
  const double outside = 2 * channels * nodes * tokens->outside * (token + 16);
  const double heap =
      std::max(std::ceil(outside / kGranule) * kGranule, workload.exchange.static_heap);
  return inside + kWorkspace + heap;
}

/// HybridEP's buffers: room for the tokens of all ranks on one, which dispatch and combine share, and
/// what the domains exchange (csrc/hybrid_ep/buffer/ of DeepEP's branch hybrid-ep at 94a9f8f).
double hybridep_bytes(const Workload& workload, int ranks) {
  const auto& exchange = workload.exchange;
  const int domain = std::min(
      ranks, exchange.nvlink_ranks > 0 ? exchange.nvlink_ranks : workload.machine.nvlink_domain);
  const double domains = std::ceil(ranks / static_cast<double>(domain));
  const double width = workload.architecture.dispatch_width();
  const double local = expert_load(workload).local_experts;
  const double values = kBf16Bytes * width;
  const double probabilities = 4 * local * domain;
  const double scales = 4 * width / 128;
  const double tokens = workload.tokens();
  const double shared = tokens * ranks * (values + probabilities + scales);
  if (domains <= 1) {
    return shared;
  }
  const double own = tokens * (values + probabilities * domains + scales);
  return shared + own + tokens * (domains - 1) * (3 * (values + probabilities) + scales);
}

}  // namespace

double dispatch_buffer_bytes(const Workload& workload) {
  const int ranks = workload.parallel.expert * workload.parallel.expert_tensor;
  if (ranks <= 1 || workload.architecture.experts.count == 0) {
    return 0;
  }
  switch (workload.exchange.dispatcher) {
    case Dispatcher::deepep:
      return deepep_bytes(workload, ranks);
    case Dispatcher::hybridep:
    case Dispatcher::ncclep:
      return hybridep_bytes(workload, ranks);
    case Dispatcher::alltoall:
    case Dispatcher::allgather:
      break;
  }
  return 0;
}

ExpertLoad expert_load(const Workload& workload) {
  const auto& experts = workload.architecture.experts;
  ExpertLoad load;
  if (experts.count == 0) {
    return load;
  }
  load.local_experts = std::max(1, experts.count / workload.parallel.expert);
  load.rows = workload.tokens() * experts.topk * workload.parallel.expert_tensor;
  load.rows_per_expert = load.rows * workload.parallel.expert / experts.count;
  load.padded_rows = load.rows * workload.routing.rank_capacity;
  if (workload.routing.capacity > 0) {
    load.rows_per_expert *= workload.routing.kept_rows();
    load.rows *= workload.routing.kept_rows();
    load.padded_rows = load.rows;
  }
  return load;
}

namespace {

/// The virtual stages that a stage runs forward in sequence: groups of micro-batches, each through
/// all chunks.
class ForwardOrder {
 public:
  explicit ForwardOrder(const FlightPlan& plan)
      : plan_(plan),
        group_(std::min(plan.group, plan.microbatches)) {}

  int next() {
    const int chunk = chunk_;
    if (++in_group_ == group_) {
      in_group_ = 0;
      if (++chunk_ == plan_.virtual_stages) {
        chunk_ = 0;
        done_ += group_;
        group_ = std::max(1, std::min(plan_.group, plan_.microbatches - done_));
      }
    }
    return chunk;
  }

 private:
  FlightPlan plan_;
  int group_ = 1;
  int chunk_ = 0;
  int in_group_ = 0;
  int done_ = 0;  // micro-batches of earlier groups
};

int at_most_all(const FlightPlan& plan, std::int64_t chunks) {
  const std::int64_t all = std::int64_t{plan.microbatches} * plan.virtual_stages;
  return static_cast<int>(std::min({all, chunks, std::int64_t{1'000'000'000}}));
}

/// The same schedule with fewer of the repeating rounds.
FlightPlan shortened(const FlightPlan& plan, int held) {
  const std::int64_t period = std::int64_t{plan.group} * plan.virtual_stages;
  const std::int64_t rounds = held / period + 2;
  FlightPlan result = plan;
  if (plan.microbatches / plan.group > rounds) {
    result.microbatches = static_cast<int>(rounds * plan.group + plan.microbatches % plan.group);
  }
  return result;
}

}  // namespace

FlightPlan flight_plan(const Workload& workload) {
  const auto& parallel = workload.parallel;
  return {parallel.pipeline,
          parallel.virtual_stages,
          std::max(1, std::min(parallel.chunk_group, workload.batch.microbatches)),
          workload.batch.microbatches,
          workload.exchange.overlap};
}

int warm_up_chunks(const FlightPlan& plan, int stage) {
  const int behind = plan.stages - 1 - stage;
  std::int64_t chunks = behind;
  if (plan.stages > 1 && plan.virtual_stages > 1) {
    chunks = std::int64_t{2} * behind + std::int64_t{plan.virtual_stages - 1} * plan.group;
  }
  return at_most_all(plan, chunks + (plan.overlap ? 1 : 0));
}

int chunks_in_flight(const FlightPlan& plan, int stage) {
  return at_most_all(plan, std::int64_t{warm_up_chunks(plan, stage)} + (plan.overlap ? 0 : 1));
}

double peak_of_chunks(const FlightPlan& plan, int stage, std::span<const double> chunk_bytes) {
  assert(static_cast<int>(chunk_bytes.size()) == plan.virtual_stages);
  const int held = chunks_in_flight(plan, stage);
  const bool equal =
      std::ranges::all_of(chunk_bytes, [&](double bytes) { return bytes == chunk_bytes.front(); });
  if (equal) {
    return held * chunk_bytes.front();
  }
  const FlightPlan played = shortened(plan, held);
  const int rounds = played.microbatches * played.virtual_stages;
  ForwardOrder coming(played);
  ForwardOrder leaving(played);  // in the same order, last virtual stage first
  double now = 0;
  double peak = 0;
  for (int forward = 0; forward < rounds; ++forward) {
    if (forward >= held) {
      now -= chunk_bytes[static_cast<std::size_t>(plan.virtual_stages - 1 - leaving.next())];
    }
    now += chunk_bytes[static_cast<std::size_t>(coming.next())];
    peak = std::max(peak, now);
  }
  return peak;
}

namespace {

/// Parameters of one kind.
struct Kept {
  double parameters = 0;
  double weight = 0;   // bytes of each
  double trained = 0;  // those with gradients and states
};

struct Shares {
  double weights = 1;
  double gradients = 1;
  double optimizer = 1;
};

/// The fraction of a parameter's state held by one replica.
Shares shares_of(const Workload& workload, int replicas) {
  const double part = 1.0 / std::max(1, replicas);
  Shares shares;
  const bool sharded = workload.sharding != Sharding::none;
  shares.optimizer = workload.optimizer.distributed || sharded ? part : 1;
  if (workload.sharding == Sharding::gradients || workload.sharding == Sharding::weights) {
    shares.gradients = part;
  }
  if (workload.sharding == Sharding::weights) {
    shares.weights = part;
  }
  return shares;
}

void add_states(const Workload& workload, const Kept& kept, const Shares& shares, StateBytes& sum) {
  const auto& optimizer = workload.optimizer;
  sum.weights += kept.parameters * kept.weight * shares.weights;
  const double parameters = kept.trained;
  sum.gradients += parameters * optimizer.gradient * shares.gradients;
  sum.optimizer += parameters * (optimizer.main_weight + optimizer.moments) * shares.optimizer *
                   (1 - optimizer.host_fraction);
  if (optimizer.main_gradient > optimizer.gradient) {
    sum.step_transient += parameters * optimizer.main_gradient * shares.optimizer;
  }
}

}  // namespace

StateBytes state_bytes(const Workload& workload, int stage) {
  return state_bytes(workload, stage, rank_parameters(workload, stage));
}

StateBytes state_bytes(const Workload& workload, int stage, const RankParameters& parameters) {
  constexpr double kBf16 = 2;
  const auto dense = shares_of(workload, workload.parallel.dense_replicas());
  const auto expert = shares_of(workload, workload.parallel.expert_data);
  StateBytes sum;
  const double trained = workload.optimizer.trained;
  const double weight = workload.optimizer.weight;
  const double layers = parameters.dense - parameters.embedding - parameters.vision;
  add_states(workload, {parameters.embedding, kBf16, trained * parameters.embedding}, dense, sum);
  add_states(workload, {layers, weight, trained * layers}, dense, sum);
  add_states(workload, {parameters.expert, weight, trained * parameters.expert}, expert, sum);
  if (parameters.vision > 0) {
    add_states(workload, {parameters.vision, kBf16, trained_vision(workload)}, dense, sum);
  }
  const bool reads = stage == 0;
  if (reads) {
    sum.backward_transient = kBf16 * workload.architecture.padded_vocab *
                             workload.architecture.hidden / workload.parallel.tensor;
  }
  return sum;
}

}  // namespace epwise::workload
