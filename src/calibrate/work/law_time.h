#pragma once

#include <optional>

#include "calibrate/work/work.h"
#include "perf/cost/table.h"

namespace epwise::calibrate {

/// The time of a piece of work by the cost laws (cost/*.h) on a chip, s; nullopt if no law covers
/// it. The ratio of measured time to this is how far a machine deviates from the published rows.
std::optional<double> law_time(const cost::Table& table, const cost::Chip& chip, const Work& work);

/// Bytes that a piece of work reads and writes, computed from its shape; 0 if unknown.
double memory_bytes_of(const Work& work);

/// Payload bytes of an exchange: one copy of a token per destination rank, including the local one;
/// of a collective: its buffer.
double payload_bytes_of(const Work& work);

}  // namespace epwise::calibrate
