#pragma once

#include <string_view>
#include <vector>

#include "perf/schedule/step_tasks.h"
#include "perf/schedule/timeline.h"
#include "perf/sim/constants/constants.h"
#include "perf/sim/layer/prices.h"
#include "perf/sim/work/step_work.h"

namespace epwise::sim {

/// One layer in steady state, from the event simulation: from its first kernel to the next layer's,
/// including work of its neighbours on the streams. The host may be layers ahead.
struct SteadyLayers {
  std::string_view title;       // "forward and backward of two micro-batches", …
  schedule::Timeline timeline;  // from 0; streams host, compute, comm of stage 0
  int layers = 1;               // in each direction
  bool delayed_weights = false;
  bool experts = true;
};

/// With combined 1F1B one picture: two layers of a forward next to two of the backward of another
/// micro-batch. Otherwise two pictures: a layer's forward and its backward. Empty for a model
/// without layers.
std::vector<SteadyLayers> steady_layers(const StepWork& work, const Constants& constants);

/// A step resolved to the nodes of its layers, for the event simulation: the input of
/// `schedule::node_tasks`. Layers of a chunk are ordered: dense, with experts, MTP.
struct StepNodes {
  enum : int { kDense, kExperts, kPrediction };  // places in the table

  schedule::Pipeline pipeline;
  std::vector<schedule::LayerCost> table;
  std::vector<std::vector<schedule::LayerRun>> runs;  // by position
  std::vector<schedule::ChunkCost> chunks;            // by position; without their layers
  std::vector<double> gather;                         // s, by position
  std::vector<double> reduce;                         // s, by position
  schedule::IssueRules rules;
  schedule::Hop hop;
  schedule::Contention contention;
  double optimizer = 0;  // s, including everything else that happens once per step
};

/// Costs as in the closed form. Contention is a slow-down of either stream while the other is busy:
/// kernels concurrent with an exchange lose `overlap_sms` times its share of the SMs, an exchange
/// concurrent with kernels takes `overlap_exchange` times as long, and both lose `overlap_loss`, so
/// that a completely hidden exchange costs the same as in `paired_layer`. Sharded weights, gathered
/// in every pass, are distributed over the layers as far as the closed form leaves them exposed.
/// Ignores `bubble` of the effects.
StepNodes step_nodes(const StepWork& work, const Constants& constants, const Effects& effects);

/// All tasks of the step, or of its first `micro_batches` (0: all; rounded up to what the schedule
/// runs).
schedule::TaskGraph task_graph(const StepNodes& nodes, int micro_batches = 0);

/// A step, or its first micro-batches, as executed.
struct StepRun {
  StepNodes nodes;
  schedule::Timeline timeline;
  int micro_batches = 0;  // that ran
};

/// Runs as many micro-batches as fit into about `most_tasks` tasks, at least two; 0: all.
///   run_events(work, constants, {}).timeline.seconds → 42.4
StepRun run_events(const StepWork& work,
                   const Constants& constants,
                   const Effects& effects = {},
                   int most_tasks = 0);

}  // namespace epwise::sim
