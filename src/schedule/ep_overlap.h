#pragma once

#include "schedule/slot.h"

namespace epwise::schedule {

/// Combined 1F1B: one forward more than elsewhere runs ahead, so that the forward and the backward
/// of a slot never depend on each other; the warm-up's forwards and the last backwards run unpaired
/// and hide nothing. Without a pipeline the first forward and the last backward are alone.
///   M = 3: F0 F1+B0 F2+B1 B2
Schedule ep_overlap();

}  // namespace epwise::schedule
