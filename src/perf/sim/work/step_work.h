#pragma once

#include <vector>

#include "perf/schedule/pipeline.h"
#include "perf/sim/constants/constants.h"
#include "perf/sim/constants/stated_inputs.h"
#include "perf/sim/work/machine.h"
#include "perf/sim/work/work.h"
#include "perf/workload/workload.h"

namespace epwise::sim {

/// The contents of one pipeline chunk.
struct ChunkWork {
  int dense_layers = 0;
  int moe_layers = 0;
  int predictions = 0;
  bool embedding = false;
  bool loss = false;
};

/// Traffic and states of one step and rank, in s and counts, before applying constants.
struct UpdateWork {
  double gradient_ring = 0;     // s, gradients at link speed
  double weight_ring = 0;       // s, weights at link speed
  double optimizer_memory = 0;  // s, states, gradients and weights at memory speed
  double host_states = 0;       // s, states in host memory over PCIe
  double tensors = 0;           // parameter tensors of the rank
};

/// The layers of a recipe, lowered: the results of the laws.
struct LayerWork {
  Piece mixer;             // before one MLP, see attention_work.h
  Piece prediction_mixer;  // of a multi-token prediction layer
  Piece router;
  Piece shared_expert;
  Piece dense_mlp;
  Piece experts;
  Piece head;
  Piece embedding;
  Piece vision;  // the encoder of a micro-batch's images
  Piece prediction;
  Work dispatch_side;
  Work combine_side;
  double exchange = 0;           // s, one exchange by its law
  double gathering = 0;          // s, the all-gather or reduce-scatter that accompanies it
  double norm_replay = 0;        // s, recomputing the norms of a layer
  double activation_replay = 0;  // s, recomputing the experts' activation
  double offload = 0;            // s, a layer's activations to host memory, or back
  LawSpread spread;              // of the laws that were evaluated
};

/// The split of a recipe over stages and replicas, lowered.
struct SplitWork {
  std::vector<ChunkWork> chunks;  // stages · virtual stages, chunk c on stage c % pipeline.stages
  UpdateWork update;
};

/// A recipe lowered for a machine: everything independent of the step model's constants. Created
/// once (evaluates laws), evaluated often (step.h allocates nothing and evaluates no law). For many
/// recipes on one machine see candidates.h.
struct StepWork : LayerWork, SplitWork {
  schedule::Pipeline pipeline;  // one that Megatron would run, or the nearest
  double layers_per_chunk = 1;
  double transfer = 0;           // s, between two stages; 0 without a pipeline
  bool several_domains = false;  // expert parallelism leaves the NVLink domain

  /// Whether the layer of an MTP depth has a dense MLP.
  bool predicts_densely() const;
  Machine machine;
  StatedInputs stated;
  const workload::Workload* job = nullptr;  // outlives this
};

/// The parts of `lower`: only the first two evaluate laws.
LayerWork lower_layers(const workload::Workload& job,
                       const Machine& machine,
                       const Constants& constants);
SplitWork lower_split(const workload::Workload& job,
                      const Machine& machine,
                      const Constants& constants);

/// The rest, which is cheap: fills in what the first two leave open. Machine and statements come
/// from the caller.
void lower_schedule(const workload::Workload& job, const Constants& constants, StepWork& work);

/// Evaluates all laws.
StepWork lower(const workload::Workload& job,
               const Machine& machine,
               const Constants& constants,
               const StatedInputs& stated = {});

}  // namespace epwise::sim
