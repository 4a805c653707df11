#pragma once

#include <memory>

#include "calibrate/work/backend.h"

namespace epwise::calibrate {

/// Runs every kernel on the CPU, threads for SMs: slow, but real work, checked and timed like a
/// GPU's, so that plan, statistics, fits and file can be seen and tested anywhere. Nothing of it
/// speaks for a GPU. What has no meaning on a CPU (streams, graphs, NCCL) is not measured, with the
/// reason. Always there.
std::unique_ptr<Backend> open_cpu_backend(Ranks& ranks, const BackendSettings& settings);

}  // namespace epwise::calibrate
