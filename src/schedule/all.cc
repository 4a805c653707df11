#include "schedule/ep_overlap.h"
#include "schedule/interleaved.h"
#include "schedule/no_pipeline.h"
#include "schedule/one_f_one_b.h"
#include "schedule/slot.h"

namespace epwise::schedule {

const std::vector<Schedule>& all_schedules() {
  static const std::vector<Schedule> schedules = {
      no_pipeline(),
      one_f_one_b(),
      interleaved(),
      ep_overlap(),
  };
  return schedules;
}

}  // namespace epwise::schedule
