#include "schedule/ep_overlap.h"

#include "schedule/interleaved.h"
#include "schedule/piece_order.h"

namespace epwise::schedule {

namespace {

bool fits(const Pipeline& pipeline) {
  return pipeline.ep_overlap;
}

int warmup(const Pipeline& pipeline, int stage) {
  return interleaved_warmup(pipeline, stage, 1);
}

std::vector<Slot> slots(const Pipeline& pipeline, int stage) {
  return slots_after_warmup(pipeline, warmup(pipeline, stage), true);
}

}  // namespace

Schedule ep_overlap() {
  return {"combined 1F1B", fits, warmup, slots};
}

}  // namespace epwise::schedule
