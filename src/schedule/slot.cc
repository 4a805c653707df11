#include "schedule/slot.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace epwise::schedule {

namespace {

std::string piece_text(char letter, const Piece& piece, bool with_chunks) {
  return with_chunks ? fmt::format("{}{}.{}", letter, piece.micro_batch, piece.chunk)
                     : fmt::format("{}{}", letter, piece.micro_batch);
}

}  // namespace

const Schedule& schedule_of(const Pipeline& pipeline) {
  const auto& schedules = all_schedules();
  const auto found = std::ranges::find_if(
      schedules, [&](const Schedule& schedule) { return schedule.fits(pipeline); });
  if (found == schedules.end() || !defect(pipeline).empty()) {
    throw std::logic_error("no schedule for this pipeline: " + defect(pipeline));
  }
  return *found;
}

std::vector<Slot> order(const Pipeline& pipeline, int stage) {
  return schedule_of(pipeline).order(pipeline, stage);
}

std::string to_text(const std::vector<Slot>& slots, bool with_chunks) {
  std::string text;
  for (const Slot& slot : slots) {
    text += text.empty() ? "" : " ";
    if (slot.forward.present()) {
      text += piece_text('F', slot.forward, with_chunks);
    }
    text += slot.paired() ? "+" : "";
    if (slot.backward.present()) {
      text += piece_text('B', slot.backward, with_chunks);
    }
  }
  return text;
}

}  // namespace epwise::schedule
