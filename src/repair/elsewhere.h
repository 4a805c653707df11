#pragma once

#include "lint/engine.h"
#include "repair/bench.h"

namespace epwise::repair {

/// Says of every error where the recipe would do as it is: the nearest version of a package that a
/// released container brings, other GPUs, another number of them. Each is linted before it is
/// named: the finding is gone, nothing new at or above warning, no worse launch. Only what the
/// target states is varied, one thing at a time.
void find_elsewhere(const Bench& bench, const recipe::Recipe& recipe, lint::Result& result);

}  // namespace epwise::repair
