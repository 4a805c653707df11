#pragma once

#include <memory>

#include "calibrate/work/backend.h"

namespace epwise::calibrate {

/// Runs every kernel on the CPU, with threads in place of SMs: slow, but real work, checked and
/// timed like on a GPU, so that plan, statistics, fits and file can be tested anywhere. Its times
/// say nothing about a GPU. Work that has no meaning on a CPU (streams, graphs, NCCL) is not
/// measured, with a reason. Always available.
std::unique_ptr<Backend> open_cpu_backend(Ranks& ranks, const BackendSettings& settings);

}  // namespace epwise::calibrate
