#pragma once

#include <functional>
#include <memory>
#include <string>

#include "calibrate/work/backend.h"

namespace epwise::calibrate {

/// Runs a Python script with the interpreter of the training job and returns its output; empty,
/// with a reason, on failure. Ends within 30 seconds.
using RunPython = std::function<std::string(const std::string& script, std::string& reason)>;

/// The host backend: measures Kernel::host_operation as training incurs it, as the host's share of
/// forward and backward passes through small Transformer Engine linear layers (three framework
/// operations each), so small that the host never waits for the GPU. Without PyTorch, Transformer
/// Engine or a GPU it is not measured, with the reason.
std::unique_ptr<Backend> with_host_probe(std::unique_ptr<Backend> inner, RunPython run);

}  // namespace epwise::calibrate
