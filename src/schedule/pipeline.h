#pragma once

#include <string>

namespace epwise::schedule {

/// How one training step is cut along the pipeline. Counts only; nothing here has a unit.
///
/// `stages` P, `chunks` V (model chunks of a stage: 1 means no interleaving), `micro_batches` M,
/// `group` G (micro-batches that a chunk runs in a row when interleaved; 0 stands for P, Megatron's
/// default of `microbatch_group_size_per_virtual_pipeline_stage`). A *position* is the place of a
/// chunk in the model: chunk * P + stage; data enter at position 0 and the loss is behind P·V − 1.
struct Pipeline {
  int stages = 1;
  int chunks = 1;
  int micro_batches = 1;
  int group = 0;

  /// Combined 1F1B: a forward and a backward chunk of different micro-batches run as one slot, so
  /// that the expert-parallel exchange of one hides behind the computation of the other.
  bool ep_overlap = false;

  int group_size() const { return group > 0 ? group : stages; }

  /// Micro-batches of the last group of an interleaved schedule.
  int last_group() const {
    const int rest = micro_batches % group_size();
    return rest > 0 ? rest : group_size();
  }

  int positions() const { return stages * chunks; }

  int position(int stage, int chunk) const { return chunk * stages + stage; }

  /// Forward pieces that one stage runs in a step; it runs as many backward ones.
  int pieces() const { return micro_batches * chunks; }

  bool operator==(const Pipeline&) const = default;
};

/// Why Megatron would not run this pipeline; empty when it would.
///   defect({.stages = 4, .chunks = 2, .micro_batches = 6}) →
///     "the last group of micro-batches has 2, fewer than the 4 pipeline stages"
/// Everything else in this module takes a pipeline without defect (an assert says so).
std::string defect(const Pipeline& pipeline);

}  // namespace epwise::schedule
