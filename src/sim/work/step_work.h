#pragma once

#include <vector>

#include "model/workload.h"
#include "schedule/pipeline.h"
#include "sim/constants/constants.h"
#include "sim/constants/stated_inputs.h"
#include "sim/work/law_spread.h"
#include "sim/work/machine.h"
#include "sim/work/work.h"

namespace epwise::sim {

/// What one chunk of the pipeline holds.
struct ChunkWork {
  int dense_layers = 0;
  int moe_layers = 0;
  int predictions = 0;
  bool embedding = false;
  bool loss = false;
};

/// Traffic and states of one step and rank, in s and counts, before constants weigh them.
struct UpdateWork {
  double gradient_ring = 0;     // s, reduce-scatter of FP32 gradients at link speed
  double weight_ring = 0;       // s, all-gather of BF16 weights at link speed
  double optimizer_memory = 0;  // s, states, gradients and weights at memory speed
  double host_states = 0;       // s, states in host memory over PCIe
  double tensors = 0;           // parameter tensors of the rank
};

/// The layers of a recipe, lowered: what the laws say of them.
struct LayerWork {
  Piece mixer;             // in front of one MLP, see attention_work.h
  Piece prediction_mixer;  // of a multi-token prediction layer
  Piece router;
  Piece shared_expert;
  Piece dense_mlp;
  Piece experts;
  Piece head;
  Piece embedding;
  Piece prediction;
  Work dispatch_side;
  Work combine_side;
  double exchange = 0;           // s, one exchange by its law
  double gathering = 0;          // s, all-gather or reduce-scatter that belongs to it
  double norm_replay = 0;        // s, recomputing the norms of a layer
  double activation_replay = 0;  // s, recomputing the experts' activation
  double offload = 0;            // s, a layer's activations to host memory, or back
  LawSpread spread;              // of the laws that were asked
};

/// The split of a recipe over stages and replicas, lowered.
struct SplitWork {
  std::vector<ChunkWork> chunks;  // stages · virtual stages, chunk c on stage c % pipeline.stages
  UpdateWork update;
};

/// A recipe on a machine, lowered: everything that no constant of the step model changes. Made once
/// (laws are asked here), evaluated often (step.h allocates nothing and asks no law). For many
/// recipes on one machine see candidates.h.
struct StepWork : LayerWork, SplitWork {
  schedule::Pipeline pipeline;  // one that Megatron would run, or the nearest
  double layers_per_chunk = 1;
  double transfer = 0;           // s, between two stages; 0 without a pipeline
  bool several_domains = false;  // expert parallelism leaves the NVLink domain

  /// Whether the layer of a prediction depth has a dense MLP.
  bool predicts_densely() const;
  Machine machine;
  StatedInputs stated;
  const model::Workload* job = nullptr;  // outlives this
};

/// The parts of `lower`: laws are asked by the first two alone.
LayerWork lower_layers(const model::Workload& job,
                       const Machine& machine,
                       const Constants& constants);
SplitWork lower_split(const model::Workload& job,
                      const Machine& machine,
                      const Constants& constants);

/// The rest, which is cheap: fills in what neither of them says. Machine and statements are the
/// caller's.
void lower_schedule(const model::Workload& job, const Constants& constants, StepWork& work);

/// Asks all laws.
StepWork lower(const model::Workload& job,
               const Machine& machine,
               const Constants& constants,
               const StatedInputs& stated = {});

}  // namespace epwise::sim
