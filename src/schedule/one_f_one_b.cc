#include "schedule/one_f_one_b.h"

#include <algorithm>

#include "schedule/piece_order.h"

namespace epwise::schedule {

namespace {

bool fits(const Pipeline& pipeline) {
  return pipeline.stages > 1 && pipeline.chunks == 1;
}

int warmup(const Pipeline& pipeline, int stage) {
  return std::min(pipeline.stages - stage - 1, pipeline.micro_batches);
}

std::vector<Slot> slots(const Pipeline& pipeline, int stage) {
  return slots_after_warmup(pipeline, warmup(pipeline, stage), false);
}

}  // namespace

Schedule one_f_one_b() {
  return {"1F1B", fits, warmup, slots};
}

}  // namespace epwise::schedule
