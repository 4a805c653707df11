#pragma once

#include <vector>

#include "schedule/step_tasks.h"
#include "schedule/timeline.h"
#include "sim/constants/constants.h"
#include "sim/layer/effects.h"
#include "sim/work/step_work.h"

namespace epwise::sim {

/// A step down to the nodes of its layers, for the event tier: what `schedule::node_tasks` takes.
/// Layers of a chunk stand in the order dense, with experts, of prediction depths.
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
  double optimizer = 0;  // s, with everything else that comes once a step
};

/// Prices as the closed form has them. Contention is a slowdown of either stream while the other is
/// at work: kernels beside an exchange lose `overlap_sms` times the share of its SMs, an exchange
/// beside kernels takes `overlap_exchange` times as long, and both lose `overlap_loss`, so that an
/// exchange which is hidden altogether costs what `paired_layer` says. Sharded weights, gathered in
/// every pass, are spread over the layers as far as the closed form leaves them exposed. `bubble`
/// of the effects is not asked.
StepNodes step_nodes(const StepWork& work, const Constants& constants, const Effects& effects);

/// All tasks of the step, or of its first `micro_batches` (0: all; rounded up to what the schedule
/// runs).
schedule::TaskGraph task_graph(const StepNodes& nodes, int micro_batches = 0);

/// A step, or its first micro-batches, as it ran.
struct StepRun {
  StepNodes nodes;
  schedule::Timeline timeline;
  int micro_batches = 0;  // that ran
};

/// Runs as many micro-batches as some `most_tasks` tasks hold, two at least; 0: all.
///   run_events(work, constants, {}).timeline.seconds → 42.4
StepRun run_events(const StepWork& work,
                   const Constants& constants,
                   const Effects& effects = {},
                   int most_tasks = 0);

}  // namespace epwise::sim
