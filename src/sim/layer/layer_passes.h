#pragma once

#include "sim/constants/constants.h"
#include "sim/layer/effects.h"
#include "sim/layer/prices.h"
#include "sim/work/step_work.h"

namespace epwise::sim {

/// Durations of a layer, or of a chunk or stage of them, for one micro-batch, in s.
struct Passes {
  double forward = 0;
  double backward = 0;
  double both = 0;  // a forward and a backward pass at once, of different micro-batches

  void add(const Passes& other, double times);
};

/// What the chunks of a recipe are made of, in s.
struct LayerPasses {
  Passes dense;
  Passes moe;         // with what offloading costs
  Passes prediction;  // one depth of multi-token prediction with its layer and its head
  Passes head;        // output layer and cross-entropy
  Passes embedding;
  Passes offload;          // of `moe`: what activations on their way to host memory and back cost
  double host_excess = 0;  // of `moe` and `dense`: the largest share of a pass that launches add
};

/// The layers of a step by closed form (unpaired_layer.h, paired_layer.h).
LayerPasses layer_passes(const StepWork& work,
                         const Constants& constants,
                         const Prices& prices,
                         const Effects& effects);

}  // namespace epwise::sim
