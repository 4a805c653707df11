#pragma once

#include <memory>

#include "calibrate/ranks/launch.h"
#include "calibrate/ranks/ranks.h"

namespace epwise::calibrate {

/// Ranks that talk over TCP: rank 0 listens, the others come to it. Returns when all are there;
/// throws RankLost with the names of those that are missing after `timeout` s. A process of another
/// launch, or of another version, is turned away. When a rank ends or hangs, every other one gets
/// RankLost with its name:
///   "rank 3 (host b7, local rank 1) ended"
std::unique_ptr<Ranks> join_ranks(const Launch& launch, double timeout);

}  // namespace epwise::calibrate
