#include "schedule/no_pipeline.h"

#include "schedule/piece_order.h"

namespace epwise::schedule {

namespace {

bool fits(const Pipeline& pipeline) {
  return pipeline.stages == 1 && !pipeline.ep_overlap;
}

int warmup(const Pipeline& /*pipeline*/, int /*stage*/) {
  return 0;
}

std::vector<Slot> slots(const Pipeline& pipeline, int stage) {
  return slots_after_warmup(pipeline, warmup(pipeline, stage), false);
}

}  // namespace

Schedule no_pipeline() {
  return {"no pipeline", fits, warmup, slots};
}

}  // namespace epwise::schedule
