#pragma once

#include "schedule/slot.h"

namespace epwise::schedule {

/// One stage, no overlap: each micro-batch goes forward and straight back.
///   M = 2: F0 B0 F1 B1
Schedule no_pipeline();

}  // namespace epwise::schedule
