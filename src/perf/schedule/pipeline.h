#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace epwise::schedule {

/// How one training step is divided along the pipeline. Only counts; nothing here has a unit.
///
/// `stages` P, `chunks` V (model chunks of a stage: 1 means no interleaving), `micro_batches` M,
/// `group` G (micro-batches that a chunk runs in a row when interleaved; 0 means P, Megatron's
/// default of `microbatch_group_size_per_virtual_pipeline_stage`). A *position* is the index of a
/// chunk in the model: chunk * P + stage; data enter at position 0 and the loss follows position
/// P·V − 1.
struct Pipeline {
  int stages = 1;
  int chunks = 1;
  int micro_batches = 1;
  int group = 0;

  /// Combined 1F1B: a forward and a backward chunk of different micro-batches run as one slot, so
  /// that the expert-parallel exchange of one is hidden by the computation of the other.
  bool ep_overlap = false;

  int group_size() const { return group > 0 ? group : stages; }

  /// Micro-batches of the last group of an interleaved schedule.
  int last_group() const {
    const int rest = micro_batches % group_size();
    return rest > 0 ? rest : group_size();
  }

  int positions() const { return stages * chunks; }

  int position(int stage, int chunk) const { return chunk * stages + stage; }

  /// Forward pieces that one stage runs per step; the number of backward pieces is the same.
  int pieces() const { return micro_batches * chunks; }

  bool operator==(const Pipeline&) const = default;
};

/// Why Megatron would not run this pipeline; empty if it would.
///   defect({.stages = 4, .chunks = 2, .micro_batches = 6}) →
///     "the last group of micro-batches has 2, fewer than the 4 pipeline stages"
/// Everything else in this module requires a pipeline without a defect (checked by an assertion).
std::string defect(const Pipeline& pipeline);

/// One chunk's work for one micro-batch on one stage; absent when `micro_batch` is negative.
struct Piece {
  int micro_batch = -1;
  int chunk = 0;

  bool present() const { return micro_batch >= 0; }

  bool operator==(const Piece&) const = default;
};

/// What a stage runs between two synchronisations of its streams: a forward piece, a backward
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

/// The schedules, exactly one of which applies to any pipeline without a defect.
const std::vector<Schedule>& all_schedules();

/// The schedule that Megatron selects for this pipeline.
const Schedule& schedule_of(const Pipeline& pipeline);

/// The order of one stage's slots in a step (Megatron-LM core/pipeline_parallel/schedules.py and
/// combined_1f1b.py).
///   order({.stages = 2, .micro_batches = 3}, 0) → F0 F1 B0 F2 B1 B2
///   order({.stages = 1, .micro_batches = 3, .ep_overlap = true}, 0) → F0 F1+B0 F2+B1 B2
std::vector<Slot> order(const Pipeline& pipeline, int stage);

/// "F0 F1+B0 B1" for one chunk; with several, the chunk's number follows a dot: "F0.0 F0.1+B0.1".
std::string to_text(const std::vector<Slot>& slots, bool with_chunks);

}  // namespace epwise::schedule
