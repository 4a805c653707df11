#pragma once

#include "perf/cost/table.h"

namespace epwise::cost {

/// t = launch + bytes / (share of the datasheet's memory bandwidth); `launch_us` as a rule 3.
///   memory_bound(table, h100, MemoryKernel::copy, 1e9, 3) → 338 us, sd 0.12, fitted
Cost memory_bound(
    const Table& table, const Chip& chip, MemoryKernel kernel, double bytes, double launch_us);

}  // namespace epwise::cost
