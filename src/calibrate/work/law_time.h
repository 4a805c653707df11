#pragma once

#include <optional>

#include "calibrate/work/work.h"
#include "cost/table.h"

namespace epwise::calibrate {

/// What the cost laws (cost/*.h) say of a piece of work on a chip, s; nullopt for what no law
/// prices. Measured over this is how far a machine is from the published rows.
std::optional<double> law_time(const cost::Table& table, const cost::Chip& chip, const Work& work);

/// Bytes that a piece of work reads and writes in memory, from its shape alone; 0 where that is not
/// known.
double memory_bytes_of(const Work& work);

/// Bytes of an exchange's payload: one copy of a token for each rank that it reaches, the local one
/// included; of a collective, its buffer.
double payload_bytes_of(const Work& work);

}  // namespace epwise::calibrate
