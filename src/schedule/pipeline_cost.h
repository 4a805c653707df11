#pragma once

#include <span>

#include "schedule/chunk.h"
#include "schedule/pipeline.h"
#include "schedule/slot.h"

namespace epwise::schedule {

/// What the chunk at one position takes, running alone. Seconds.
struct PieceTime {
  double forward = 0;
  double backward = 0;
  double backward_early = 0;  // how long before its end the gradient of the input leaves
};

/// How the tensors between stages travel.
struct Hop {
  double seconds = 0;

  /// True: sends and receives run beside the computation (`overlap_p2p_comm`, usual with chunks);
  /// a tensor arrives `seconds` after it left. False: a stage stands still for `seconds` between
  /// two slots whenever the first sends or the second receives (one exchange serves both).
  bool overlapped = true;
};

/// Gradients and parameters exchanged among data-parallel replicas while the pipeline runs.
/// Seconds per position, empty: none. They share one stream of the stage.
struct ReplicaCost {
  std::span<const double> gather;  // parameters, before the chunk's first forward
  std::span<const double> reduce;  // gradients, after the chunk's last backward

  /// Equal parts in which a chunk's exchange runs; a part of the computation can begin when its
  /// part of the gather has ended, a part of the reduction when its part of the backward has.
  int buckets = 1;

  /// Stage r begins to reduce r slots after the chunk's last backward, all buckets at once, so that
  /// all stages start together (Megatron's `align_grad_reduce` with chunks).
  bool aligned = false;
};

/// Everything about one step that has a duration. Views only; what they refer to must outlive it.
struct PipelineCost {
  std::span<const PieceTime> pieces;  // by position

  /// Paired slots: [(stage * V + forward chunk) * V + backward chunk]. Empty: forward + backward,
  /// the forward first, so nothing is hidden.
  std::span<const SlotTime> pairs;
  Hop hop;
  ReplicaCost replicas;
  double optimizer = 0;  // behind everything, on all stages at once
};

/// What one slot of a stage takes.
SlotTime time_of_slot(const Pipeline& pipeline,
                      const PipelineCost& cost,
                      int stage,
                      const Slot& slot);

}  // namespace epwise::schedule
