#include "schedule/piece_order.h"

#include <algorithm>

namespace epwise::schedule {

std::vector<Piece> forward_pieces(const Pipeline& pipeline) {
  std::vector<Piece> pieces;
  pieces.reserve(static_cast<std::size_t>(pipeline.pieces()));
  const int group = pipeline.group_size();
  for (int first = 0; first < pipeline.micro_batches; first += group) {
    const int end = std::min(first + group, pipeline.micro_batches);
    for (int chunk = 0; chunk < pipeline.chunks; ++chunk) {
      for (int micro_batch = first; micro_batch < end; ++micro_batch) {
        pieces.push_back({micro_batch, chunk});
      }
    }
  }
  return pieces;
}

std::vector<Piece> backward_pieces(const Pipeline& pipeline) {
  auto pieces = forward_pieces(pipeline);
  for (Piece& piece : pieces) {
    piece.chunk = pipeline.chunks - 1 - piece.chunk;
  }
  return pieces;
}

std::vector<Slot> slots_after_warmup(const Pipeline& pipeline, int warmup, bool paired) {
  const auto forwards = forward_pieces(pipeline);
  const auto backwards = backward_pieces(pipeline);
  const auto alone = static_cast<std::size_t>(warmup);
  std::vector<Slot> slots;
  slots.reserve(2 * forwards.size());
  for (std::size_t i = 0; i < forwards.size(); ++i) {
    if (i < alone) {
      slots.push_back({forwards[i], {}});
    } else if (paired) {
      slots.push_back({forwards[i], backwards[i - alone]});
    } else {
      slots.push_back({forwards[i], {}});
      slots.push_back({{}, backwards[i - alone]});
    }
  }
  for (std::size_t i = forwards.size() - alone; i < backwards.size(); ++i) {
    slots.push_back({{}, backwards[i]});
  }
  return slots;
}

}  // namespace epwise::schedule
