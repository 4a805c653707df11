#pragma once

#include "model/workload.h"
#include "sim/work/machine.h"
#include "sim/work/sizes.h"

namespace epwise::sim {

/// Bytes of one expert layer and micro-batch that wait in host memory between forward and backward.
double offloaded_bytes(const model::Workload& job, const Sizes& sizes);

/// Seconds that they take each way at `Machine::host_rate`; 0 without offload, or where the profile
/// has no link to the host. A prior: no published timing of such copies binds the rate.
double offload_time(const model::Workload& job, const Sizes& sizes, const Machine& machine);

}  // namespace epwise::sim
