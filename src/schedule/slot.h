#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schedule/pipeline.h"

namespace epwise::schedule {

/// One chunk's work for one micro-batch on one stage; absent when `micro_batch` is negative.
struct Piece {
  int micro_batch = -1;
  int chunk = 0;

  bool present() const { return micro_batch >= 0; }

  bool operator==(const Piece&) const = default;
};

/// What a stage runs between two moments at which its streams meet: a forward piece, a backward
/// piece, or, in combined 1F1B, one of each at once.
struct Slot {
  Piece forward;
  Piece backward;

  bool paired() const { return forward.present() && backward.present(); }

  bool operator==(const Slot&) const = default;
};

/// One of Megatron's schedules, as functions of the pipeline.
struct Schedule {
  std::string_view name;
  bool (*fits)(const Pipeline& pipeline);

  /// Forward pieces that a stage runs alone before its first backward or paired slot.
  int (*warmup)(const Pipeline& pipeline, int stage);
  std::vector<Slot> (*order)(const Pipeline& pipeline, int stage);
};

/// The schedules, exactly one of which fits any pipeline without defect.
const std::vector<Schedule>& all_schedules();

/// The schedule that Megatron picks for this pipeline.
const Schedule& schedule_of(const Pipeline& pipeline);

/// The order of one stage's slots in a step (Megatron-LM core/pipeline_parallel/schedules.py and
/// combined_1f1b.py).
///   order({.stages = 2, .micro_batches = 3}, 0) → F0 F1 B0 F2 B1 B2
///   order({.stages = 1, .micro_batches = 3, .ep_overlap = true}, 0) → F0 F1+B0 F2+B1 B2
std::vector<Slot> order(const Pipeline& pipeline, int stage);

/// "F0 F1+B0 B1" for one chunk; with several, the chunk's number follows a dot: "F0.0 F0.1+B0.1".
std::string to_text(const std::vector<Slot>& slots, bool with_chunks);

}  // namespace epwise::schedule
