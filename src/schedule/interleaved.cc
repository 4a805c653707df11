#include "schedule/interleaved.h"

#include <algorithm>

#include "schedule/piece_order.h"

namespace epwise::schedule {

namespace {

bool fits(const Pipeline& pipeline) {
  return pipeline.chunks > 1 && !pipeline.ep_overlap;
}

int warmup(const Pipeline& pipeline, int stage) {
  return interleaved_warmup(pipeline, stage, 0);
}

std::vector<Slot> slots(const Pipeline& pipeline, int stage) {
  return slots_after_warmup(pipeline, warmup(pipeline, stage), false);
}

}  // namespace

int interleaved_warmup(const Pipeline& pipeline, int stage, int extra) {
  return std::min(
      2 * (pipeline.stages - stage - 1) + (pipeline.chunks - 1) * pipeline.group_size() + extra,
      pipeline.pieces());
}

Schedule interleaved() {
  return {"interleaved 1F1B", fits, warmup, slots};
}

}  // namespace epwise::schedule
