#pragma once

#include <span>
#include <vector>

#include "perf/schedule/pipeline.h"
#include "perf/schedule/pipeline_cost.h"

namespace epwise::schedule {

/// One slot of one stage, as replayed. Seconds from the step's start.
struct SlotSpan {
  int stage = 0;
  Slot slot;
  double start = 0;
  double end = 0;
};

/// The result of replaying a step. Seconds.
struct ReplayedStep {
  double seconds = 0;   // including the replicas' exchanges and the optimizer
  double pipeline = 0;  // until the last slot of any stage has ended
  // part of `pipeline`: how long the first stage's first slot waits for parameters
  double first_gather = 0;
  double reduce = 0;  // after `pipeline`, until the last gradient is reduced
};

/// A step slot by slot, exactly in the order of the schedule, for chunks of any duration: the
/// longest path through the slots' dependencies. A slot starts when the stage's previous one has
/// ended and its inputs have arrived, and is not interrupted.
///
/// The order is computed once, in the constructor; `run` is one pass of a few ns per slot without
/// allocation, so a sweep can replay one pipeline with many durations.
///   Replay({.stages = 2, .micro_batches = 2}).run(F 1, B 2 everywhere).seconds → 9
/// Not modelled: a blocking send does not wait for its receiver.
class Replay {
 public:
  /// Throws std::logic_error for a pipeline with a defect.
  explicit Replay(const Pipeline& pipeline);

  ReplayedStep run(const PipelineCost& cost);

  const Pipeline& pipeline() const { return pipeline_; }

  /// The slots with the times of the last run, each after those that it depends on.
  std::span<const SlotSpan> slots() const { return spans_; }

  /// Seconds of a stage's slots in the last run; it was idle for the rest of the step.
  double busy(int stage) const;

 private:
  /// The dependencies of a slot: indices of slots, −1 for none.
  struct Links {
    int previous = -1;       // on its stage
    int forward_from = -1;   // whose forward it continues
    int backward_from = -1;  // whose backward it continues; after the loss, its own forward
    bool receives = false;
    bool sends = false;
  };

  /// When the outputs have been sent.
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
