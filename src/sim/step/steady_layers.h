#pragma once

#include <string_view>
#include <vector>

#include "schedule/timeline.h"
#include "sim/constants/constants.h"
#include "sim/work/step_work.h"

namespace epwise::sim {

/// What one layer does when the step runs at its pace, from the event tier: from its first kernel
/// to the next layer's, with what the streams do of their neighbours meanwhile. The host may be
/// layers ahead.
struct SteadyLayers {
  std::string_view title;       // "forward and backward of two micro-batches", …
  schedule::Timeline timeline;  // from 0; streams host, compute, comm of stage 0
  int layers = 1;               // of each direction
  bool delayed_weights = false;
  bool experts = true;
};

/// With combined 1F1B one picture: two layers of a forward beside two of the backward of another
/// micro-batch. Without, two pictures: a layer's forward, and its backward. Empty for a model
/// without layers.
std::vector<SteadyLayers> steady_layers(const StepWork& work, const Constants& constants);

}  // namespace epwise::sim
