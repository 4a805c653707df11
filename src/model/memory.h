#pragma once

#include <vector>

#include "model/workload.h"

/// Peak memory of a training step.
namespace epwise::model {

/// Bytes of one GPU of a pipeline stage at its fullest moment.
struct StageMemory {
  double weights = 0;
  double gradients = 0;
  double optimizer = 0;
  double activations = 0;  // of all micro-batches in flight
  double loss = 0;         // logits and what is made of them
  double transient = 0;    // of the moment: gradients of a layer, copies of the optimizer
  double graphs = 0;       // static inputs of captured parts
  double buffers = 0;      // of the dispatcher, outside of the framework's allocator
  int chunks_in_flight = 0;

  /// What the framework reports as the peak of allocated memory.
  double allocated() const {
    return weights + gradients + optimizer + activations + loss + transient + graphs;
  }
};

/// With fragments of the allocator, buffers, context and communicators.
double needed(const StageMemory& memory);

struct MemoryEstimate {
  std::vector<StageMemory> stages;
  int fullest = 0;       // index of the stage that needs most
  double allocated = 0;  // bytes of that stage, as the framework reports them
  double needed = 0;     // with fragments of the allocator, buffers, context and communicators
  double deviation = 0;  // relative standard deviation of `allocated`
};

/// Per stage the greatest of three moments: the forward pass of the last chunk in flight with the
/// loss (or a layer's gradients and what is recomputed for it), the backward pass into the
/// embedding, and the optimizer's step. Allocator fragments are 5 % (4.0 and 5.6 % on two published
/// rows), context and communicators 2 GiB.
MemoryEstimate estimate_memory(const Workload& workload);

/// Chance that `needed` exceeds a GPU's memory: a normal deviate of the estimate's deviation.
/// Meaningful only where the memory is known.
///   out_of_memory({.needed = 70 GiB, .deviation = 0.05}, 80 GiB) → 0.002
double out_of_memory(const MemoryEstimate& estimate, double capacity);

}  // namespace epwise::model
