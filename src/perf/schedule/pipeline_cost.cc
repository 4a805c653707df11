#include "perf/schedule/pipeline_cost.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "perf/schedule/layer_pair.h"

namespace epwise::schedule {

namespace {

/// Iterates over the runs of a chunk from either end.
class LayerCursor {
 public:
  LayerCursor(std::span<const LayerCost> table, const ChunkCost* chunk, bool backward)
      : table_(table),
        backward_(backward) {
    if (chunk != nullptr) {
      runs_ = chunk->layers;
      left_ = layer_count(*chunk);
      in_run_ = runs_.empty() ? 0 : at(0).count;
      skip_empty();
    }
  }

  int left() const { return left_; }

  /// How many of the next layers are equal.
  int same() const { return in_run_; }

  /// The next layer; null if there is none.
  const LayerCost* layer() const {
    if (left_ == 0) {
      return nullptr;
    }
    const auto index = static_cast<std::size_t>(at(run_).layer);
    assert(index < table_.size() && "a run names a layer of the table");
    return &table_[index];
  }

  void pass(int count) {
    if (left_ > 0) {
      left_ -= count;
      in_run_ -= count;
      skip_empty();
    }
  }

 private:
  const LayerRun& at(std::size_t run) const {
    return backward_ ? runs_[runs_.size() - 1 - run] : runs_[run];
  }

  void skip_empty() {
    while (in_run_ == 0 && left_ > 0) {
      ++run_;
      in_run_ = at(run_).count;
    }
  }

  std::span<const LayerCost> table_;
  std::span<const LayerRun> runs_;
  bool backward_;
  int left_ = 0;
  std::size_t run_ = 0;
  int in_run_ = 0;
};

void issue_compute(Clocks& clocks,
                   const NodeCost& cost,
                   double Clocks::*event,
                   const IssueRules& rules) {
  if (cost.gpu > 0 || cost.host > 0) {
    issue(clocks, cost, &Clocks::compute, event, rules);
  }
}

/// The layers of both chunks; returns the backward layer whose attention wgrad is still pending.
const LayerCost* walk_layers(Clocks& clocks,
                             LayerCursor& forward,
                             LayerCursor& backward,
                             const IssueRules& rules) {
  const LayerCost* owed = nullptr;
  while (forward.left() + backward.left() > 0) {
    const LayerCost* ahead = forward.layer();
    const LayerCost* back = backward.layer();
    int count = back == nullptr    ? forward.same()
                : ahead == nullptr ? backward.same()
                                   : std::min(forward.same(), backward.same());
    if (back != nullptr && count == backward.left()) {
      count = std::max(1, count - 1);
    }
    const bool last = back != nullptr && backward.left() == 1;
    LayerScript(ahead, back, rules, last).run(clocks, count);
    owed = last ? back : owed;
    forward.pass(count);
    backward.pass(count);
  }
  return owed;
}

}  // namespace

int layer_count(const ChunkCost& chunk) {
  int count = 0;
  for (const LayerRun& run : chunk.layers) {
    count += run.count;
  }
  return count;
}

SlotTime slot_time(std::span<const LayerCost> table,
                   const ChunkCost* forward,
                   const ChunkCost* backward,
                   const IssueRules& rules,
                   Clocks& clocks) {
  const double begin = clocks.gpu();
  clocks.compute = begin;
  clocks.forward = begin;
  clocks.backward = begin;
  if (forward != nullptr) {
    issue_compute(clocks, forward->embedding_forward, &Clocks::forward, rules);
  }
  if (backward != nullptr) {
    issue_compute(clocks, backward->loss_backward, &Clocks::backward, rules);
  }
  LayerCursor ahead(table, forward, false);
  LayerCursor back(table, backward, true);
  const LayerCost* owed = walk_layers(clocks, ahead, back, rules);
  const double forward_ready = clocks.forward;
  double backward_ready = begin;
  if (backward != nullptr) {
    clocks.compute = std::max(clocks.compute, clocks.backward);
    backward_ready = clocks.compute;
  }
  if (owed != nullptr && rules.delayed_wgrad) {
    issue_compute(clocks, (*owed)[Node::attention_wgrad], nullptr, rules);
  }
  if (forward != nullptr) {
    issue_compute(clocks, forward->loss_forward, &Clocks::forward, rules);
  }
  if (backward != nullptr) {
    issue_compute(clocks, backward->embedding_backward, &Clocks::backward, rules);
  }
  const double end = std::max(clocks.gpu(), std::max(clocks.forward, clocks.backward));
  clocks.compute = end;
  SlotTime time;
  time.duration = end - begin;
  time.forward_early = forward != nullptr ? end - forward_ready : 0;
  time.backward_early = backward != nullptr ? end - backward_ready : 0;
  time.host = clocks.host;
  return time;
}

SlotTime slot_time(std::span<const LayerCost> table,
                   const ChunkCost* forward,
                   const ChunkCost* backward,
                   const IssueRules& rules) {
  Clocks clocks;
  return slot_time(table, forward, backward, rules, clocks);
}

double value_at(std::span<const double> values, int index) {
  return values.empty() ? 0 : values[static_cast<std::size_t>(index)];
}

SlotTime time_of_slot(const Pipeline& pipeline,
                      const PipelineCost& cost,
                      int stage,
                      const Slot& slot) {
  if (slot.paired() && !cost.pairs.empty()) {
    const auto chunks = static_cast<std::size_t>(pipeline.chunks);
    const std::size_t row =
        static_cast<std::size_t>(stage) * chunks + static_cast<std::size_t>(slot.forward.chunk);
    return cost.pairs[row * chunks + static_cast<std::size_t>(slot.backward.chunk)];
  }
  const auto piece_of = [&](const Piece& piece) -> const PieceTime& {
    return cost.pieces[static_cast<std::size_t>(pipeline.position(stage, piece.chunk))];
  };
  SlotTime time;
  if (slot.forward.present()) {
    time.duration += piece_of(slot.forward).forward;
  }
  if (slot.backward.present()) {
    const PieceTime& piece = piece_of(slot.backward);
    time.duration += piece.backward;
    time.forward_early = slot.paired() ? piece.backward : 0;
    time.backward_early = piece.backward_early;
  }
  return time;
}

}  // namespace epwise::schedule
