#pragma once

#include <span>
#include <vector>

#include "schedule/pipeline.h"
#include "schedule/pipeline_cost.h"
#include "schedule/slot.h"

namespace epwise::schedule {

/// One slot of one stage, as replayed. Seconds from the step's start.
struct SlotSpan {
  int stage = 0;
  Slot slot;
  double start = 0;
  double end = 0;
};

/// What a replay of a step comes to. Seconds.
struct ReplayedStep {
  double seconds = 0;       // with the replicas' exchanges and the optimizer
  double pipeline = 0;      // until the last slot of any stage has ended
  double first_gather = 0;  // of `pipeline`: what the first stage's first slot waits for parameters
  double reduce = 0;        // behind `pipeline`, until the last gradient is reduced
};

/// A step slot by slot, exactly in the order of the schedule, for chunks of any durations: the
/// longest path through the slots' dependencies. A slot starts when the stage's previous one has
/// ended and its inputs have arrived, and runs without interruption.
///
/// The order is worked out once, in the constructor; `run` is one pass of a few ns a slot without
/// allocation, so that a sweep can replay one pipeline with many durations.
///   Replay({.stages = 2, .micro_batches = 2}).run(F 1, B 2 everywhere).seconds → 9
/// Not modelled: a blocking send does not wait for its receiver.
class Replay {
 public:
  /// Throws std::logic_error for a pipeline with a defect.
  explicit Replay(const Pipeline& pipeline);

  ReplayedStep run(const PipelineCost& cost);

  const Pipeline& pipeline() const { return pipeline_; }

  /// The slots with the times of the last run, every one behind those that it depends on.
  std::span<const SlotSpan> slots() const { return spans_; }

  /// Seconds that a stage's slots took in the last run; for the rest of the step it stood still.
  double busy(int stage) const;

 private:
  /// What a slot depends on: indices of slots, −1 for none.
  struct Links {
    int previous = -1;       // on its stage
    int forward_from = -1;   // whose forward it continues
    int backward_from = -1;  // whose backward it continues; behind the loss, its own forward
    bool receives = false;
    bool sends = false;
  };

  /// When the outputs have left.
  struct Outputs {
    double forward = 0;
    double backward = 0;
  };

  void order_slots();
  void link(std::size_t index, std::span<const int> forwards, std::span<const int> backwards);
  double start_of(std::size_t index, const PipelineCost& cost) const;
  double end_after_gather(const SlotSpan& span, double duration, const PipelineCost& cost) const;
  double reduced(int stage, const PipelineCost& cost) const;

  Pipeline pipeline_;
  std::vector<SlotSpan> spans_;
  std::vector<Links> links_;
  std::vector<Outputs> outputs_;
  std::vector<std::vector<int>> backwards_;  // a stage's slots with a backward, in order
};

}  // namespace epwise::schedule
