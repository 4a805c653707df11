#include "perf/schedule/pipeline.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace epwise::schedule {

namespace {

std::string interleaving_defect(const Pipeline& pipeline) {
  const int group = pipeline.group_size();
  if (pipeline.stages == 1) {
    return "chunks of a stage interleave only in a pipeline of two stages or more";
  }
  if (group < pipeline.stages || group > pipeline.micro_batches) {
    return fmt::format(
        "a group of {} micro-batches is not between the {} stages and the {} "
        "micro-batches of a step",
        group,
        pipeline.stages,
        pipeline.micro_batches);
  }
  if (pipeline.last_group() < pipeline.stages) {
    return fmt::format("the last group of micro-batches has {}, fewer than the {} pipeline stages",
                       pipeline.last_group(),
                       pipeline.stages);
  }
  return {};
}

}  // namespace

std::string defect(const Pipeline& pipeline) {
  if (pipeline.stages < 1 || pipeline.chunks < 1 || pipeline.micro_batches < 1 ||
      pipeline.group < 0) {
    return "stages, chunks and micro-batches are counted from 1";
  }
  if (pipeline.chunks > 1) {
    return interleaving_defect(pipeline);
  }
  if (pipeline.ep_overlap && pipeline.stages > 1) {
    return "combined 1F1B in a pipeline needs two chunks of a stage or more";
  }
  return {};
}

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
