#include "perf/schedule/replay.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace epwise::schedule {

namespace {

/// Which slots have been placed while computing the order.
class Ready {
 public:
  explicit Ready(const Pipeline& pipeline)
      : pipeline_(pipeline),
        forwards_(static_cast<std::size_t>(pipeline.positions()) *
                      static_cast<std::size_t>(pipeline.micro_batches),
                  -1),
        backwards_(forwards_) {}

  bool is_ready(int stage, const Slot& slot) const {
    if (slot.forward.present()) {
      const int position = pipeline_.position(stage, slot.forward.chunk);
      if (position > 0 && forwards_[at(slot.forward, position - 1)] < 0) {
        return false;
      }
    }
    if (!slot.backward.present()) {
      return true;
    }
    const int position = pipeline_.position(stage, slot.backward.chunk);
    return position + 1 < pipeline_.positions() ? backwards_[at(slot.backward, position + 1)] >= 0
                                                : forwards_[at(slot.backward, position)] >= 0;
  }

  void place(int stage, const Slot& slot, int index) {
    if (slot.forward.present()) {
      forwards_[at(slot.forward, pipeline_.position(stage, slot.forward.chunk))] = index;
    }
    if (slot.backward.present()) {
      backwards_[at(slot.backward, pipeline_.position(stage, slot.backward.chunk))] = index;
    }
  }

  const std::vector<int>& forwards() const { return forwards_; }

  const std::vector<int>& backwards() const { return backwards_; }

 private:
  std::size_t at(const Piece& piece, int position) const {
    return static_cast<std::size_t>(piece.micro_batch) *
               static_cast<std::size_t>(pipeline_.positions()) +
           static_cast<std::size_t>(position);
  }

  Pipeline pipeline_;
  std::vector<int> forwards_;  // index of the slot that ran it; −1: none yet
  std::vector<int> backwards_;
};

}  // namespace

Replay::Replay(const Pipeline& pipeline)
    : pipeline_(pipeline),
      backwards_(static_cast<std::size_t>(pipeline.stages)) {
  order_slots();
}

void Replay::order_slots() {
  std::vector<std::vector<Slot>> orders;
  std::size_t total = 0;
  for (int stage = 0; stage < pipeline_.stages; ++stage) {
    orders.push_back(order(pipeline_, stage));
    total += orders.back().size();
  }
  std::vector<std::size_t> next(orders.size(), 0);
  std::vector<int> last(orders.size(), -1);
  Ready ready(pipeline_);
  while (spans_.size() < total) {
    [[maybe_unused]] const std::size_t before = spans_.size();
    for (std::size_t stage = 0; stage < orders.size(); ++stage) {
      while (next[stage] < orders[stage].size() &&
             ready.is_ready(static_cast<int>(stage), orders[stage][next[stage]])) {
        const auto index = static_cast<int>(spans_.size());
        const Slot& slot = orders[stage][next[stage]++];
        spans_.push_back({static_cast<int>(stage), slot, 0, 0});
        links_.push_back({});
        links_.back().previous = last[stage];
        last[stage] = index;
        ready.place(static_cast<int>(stage), slot, index);
        if (slot.backward.present()) {
          backwards_[stage].push_back(index);
        }
      }
    }
    assert(spans_.size() > before && "a schedule that waits for itself");
  }
  outputs_.resize(total);
  for (std::size_t i = 0; i < total; ++i) {
    link(i, ready.forwards(), ready.backwards());
  }
}

void Replay::link(std::size_t index,
                  std::span<const int> forwards,
                  std::span<const int> backwards) {
  const auto at = [&](const Piece& piece, int position) {
    return static_cast<std::size_t>(piece.micro_batch) *
               static_cast<std::size_t>(pipeline_.positions()) +
           static_cast<std::size_t>(position);
  };
  const SlotSpan& span = spans_[index];
  Links& links = links_[index];
  const int last = pipeline_.positions() - 1;
  if (span.slot.forward.present()) {
    const int position = pipeline_.position(span.stage, span.slot.forward.chunk);
    if (position > 0) {
      links.forward_from = forwards[at(span.slot.forward, position - 1)];
      links.receives = true;
    }
    links.sends = position < last;
  }
  if (span.slot.backward.present()) {
    const int position = pipeline_.position(span.stage, span.slot.backward.chunk);
    if (position < last) {
      links.backward_from = backwards[at(span.slot.backward, position + 1)];
      links.receives = true;
    } else {
      links.backward_from = forwards[at(span.slot.backward, position)];
    }
    links.sends = links.sends || position > 0;
  }
}

double Replay::start_of(std::size_t index, const PipelineCost& cost) const {
  const Links& links = links_[index];
  double start = 0;
  if (links.previous >= 0) {
    const auto previous = static_cast<std::size_t>(links.previous);
    const bool stands = !cost.hop.overlapped && (links.receives || links_[previous].sends);
    start = spans_[previous].end + (stands ? cost.hop.seconds : 0);
  }
  if (links.forward_from >= 0) {
    const auto from = static_cast<std::size_t>(links.forward_from);
    start = std::max(start, outputs_[from].forward + cost.hop.seconds);
  }
  if (links.backward_from >= 0) {
    const auto from = static_cast<std::size_t>(links.backward_from);
    const bool travels = spans_[from].stage != spans_[index].stage;
    start =
        std::max(start, travels ? outputs_[from].backward + cost.hop.seconds : spans_[from].end);
  }
  return start;
}

double Replay::end_after_gather(const SlotSpan& span,
                                double duration,
                                const PipelineCost& cost) const {
  const auto& gather = cost.replicas.gather;
  double before = 0;
  for (int chunk = 0; chunk < span.slot.forward.chunk; ++chunk) {
    before += value_at(gather, pipeline_.position(span.stage, chunk));
  }
  const double own = value_at(gather, pipeline_.position(span.stage, span.slot.forward.chunk));
  const double parts = cost.replicas.buckets;
  // The parts run as in a flow shop of two machines with equal parts: either the first part's
  // exchange or the last part's computation is exposed.
  return std::max(
      {span.start + duration, before + own / parts + duration, before + own + duration / parts});
}

ReplayedStep Replay::run(const PipelineCost& cost) {
  assert(cost.pieces.size() == static_cast<std::size_t>(pipeline_.positions()) &&
         "a time for every position");
  ReplayedStep step;
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    SlotSpan& span = spans_[i];
    const SlotTime time = time_of_slot(pipeline_, cost, span.stage, span.slot);
    span.start = start_of(i, cost);
    span.end = span.start + time.duration;
    if (span.slot.forward.micro_batch == 0 && !cost.replicas.gather.empty()) {
      span.end = end_after_gather(span, time.duration, cost);
    }
    outputs_[i] = {span.end - time.forward_early, span.end - time.backward_early};
    step.pipeline = std::max(step.pipeline, span.end);
    if (i == 0) {
      step.first_gather = span.end - span.start - time.duration;
    }
  }
  double end = step.pipeline;
  if (!cost.replicas.reduce.empty()) {
    for (int stage = 0; stage < pipeline_.stages; ++stage) {
      end = std::max(end, reduced(stage, cost));
    }
  }
  step.reduce = end - step.pipeline;
  step.seconds = end + cost.optimizer;
  return step;
}

double Replay::reduced(int stage, const PipelineCost& cost) const {
  const ReplicaCost& replicas = cost.replicas;
  double free = 0;
  for (int chunk = 0; chunk < pipeline_.chunks; ++chunk) {
    free += value_at(replicas.gather, pipeline_.position(stage, chunk));
  }
  const auto& slots = backwards_[static_cast<std::size_t>(stage)];
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const SlotSpan& span = spans_[static_cast<std::size_t>(slots[i])];
    if (span.slot.backward.micro_batch + 1 < pipeline_.micro_batches) {
      continue;
    }
    const double own =
        value_at(replicas.reduce, pipeline_.position(stage, span.slot.backward.chunk));
    if (replicas.aligned) {
      const std::size_t at = std::min(i + static_cast<std::size_t>(stage), slots.size() - 1);
      free = std::max(free, spans_[static_cast<std::size_t>(slots[at])].end) + own;
    } else {
      const double parts = replicas.buckets;
      free = std::max(
          {free + own, span.start + (span.end - span.start) / parts + own, span.end + own / parts});
    }
  }
  return free;
}

double Replay::busy(int stage) const {
  double sum = 0;
  for (const SlotSpan& span : spans_) {
    sum += span.stage == stage ? span.end - span.start : 0;
  }
  return sum;
}

}  // namespace epwise::schedule
