#pragma once

#include "advise/dispatcher_table.h"

namespace epwise::advise {

struct Ladder {
  sim::Range start;  // s, without any rung
  std::vector<RungState> rungs;
};

/// No overlap, then each rung of the knowledge on top of the ones below: what it adds, alone and
/// together, and what it needs. A rung that is not legal is left out of those above it.
Ladder overlap_ladder(const Study& study);

}  // namespace epwise::advise
