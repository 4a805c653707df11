#pragma once

#include <memory>

#include "calibrate/ranks/launch.h"
#include "calibrate/ranks/ranks.h"

namespace epwise::calibrate {

/// Ranks that communicate over TCP: rank 0 listens, the others connect. Returns when all are
/// connected; throws RankLost naming the missing ranks after `timeout` s. Rejects processes of
/// another launch or version. If a rank ends or hangs, all others get RankLost with its name:
///   "rank 3 (host b7, local rank 1) ended"
std::unique_ptr<Ranks> join_ranks(const Launch& launch, double timeout);

}  // namespace epwise::calibrate
