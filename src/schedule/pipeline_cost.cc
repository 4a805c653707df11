#include "schedule/pipeline_cost.h"

#include <cstddef>

namespace epwise::schedule {

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
