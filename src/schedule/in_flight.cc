#include "schedule/in_flight.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "schedule/slot.h"

namespace epwise::schedule {

namespace {

/// What a slot adds at most to what was held at its start: the most of any moment at which i layers
/// of the forward have run and the backward has given back what it can.
double peak_of_slot(const Slot& slot, std::span<const ChunkActivations> chunks) {
  if (!slot.forward.present()) {
    return 0;
  }
  const ChunkActivations& grows = chunks[static_cast<std::size_t>(slot.forward.chunk)];
  if (!slot.backward.present()) {
    return grows.size;
  }
  const ChunkActivations& shrinks = chunks[static_cast<std::size_t>(slot.backward.chunk)];
  double most = 0;
  // Forward layer i + 1 runs beside backward layer L − i, whose activations are still there; where
  // the backward is longer its rest runs before the forward is over.
  for (int i = 0; i < grows.layers; ++i) {
    const int gone = std::min(i, shrinks.layers);
    most =
        std::max(most, grows.size * (i + 1) / grows.layers - shrinks.size * gone / shrinks.layers);
  }
  return most;
}

double change_of_slot(const Slot& slot, std::span<const ChunkActivations> chunks) {
  double change = 0;
  if (slot.forward.present()) {
    change += chunks[static_cast<std::size_t>(slot.forward.chunk)].size;
  }
  if (slot.backward.present()) {
    change -= chunks[static_cast<std::size_t>(slot.backward.chunk)].size;
  }
  return change;
}

}  // namespace

int peak_chunks_in_flight(const Pipeline& pipeline, int stage) {
  int held = 0;
  int most = 0;
  for (const Slot& slot : order(pipeline, stage)) {
    held += slot.forward.present() ? 1 : 0;
    most = std::max(most, held);
    held -= slot.backward.present() ? 1 : 0;
  }
  return most;
}

int chunks_in_flight(const Pipeline& pipeline, int stage) {
  return std::min(schedule_of(pipeline).warmup(pipeline, stage) + 1, pipeline.pieces());
}

double peak_activations(const Pipeline& pipeline,
                        int stage,
                        std::span<const ChunkActivations> chunks) {
  assert(chunks.size() == static_cast<std::size_t>(pipeline.chunks) && "one entry per chunk");
  double held = 0;
  double most = 0;
  for (const Slot& slot : order(pipeline, stage)) {
    most = std::max(most, held + peak_of_slot(slot, chunks));
    held += change_of_slot(slot, chunks);
  }
  return most;
}

}  // namespace epwise::schedule
