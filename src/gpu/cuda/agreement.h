#pragma once

#include <functional>

#include "calibrate/ranks/ranks.h"

namespace epwise::cuda {

/// Runs a step that may fail on any rank: every rank calls this and learns about failures of the
/// others before it waits for any of them. Throws DeviceError: its own, or "rank 3: cuMemAlloc: …"
/// of the first that failed.
void in_step(calibrate::Ranks& ranks, const std::function<void()>& step);

}  // namespace epwise::cuda
