#pragma once

#include "perf/cost/table.h"

namespace epwise::cost {

/// The table compiled by the build from hwprofiles/costlaws/. Loading takes about 0.1 ms: load it
/// once and keep it as long as costs that point into it.
///
///   const Table table = compiled_table();
///   const Chip* chip = table.find_chip("h100");
///   gemm(table, *chip, {.m = 4096, .n = 4096, .k = 4096}).seconds → 177e-6
Table compiled_table();

}  // namespace epwise::cost
