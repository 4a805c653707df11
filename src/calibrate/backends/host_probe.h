#pragma once

#include <functional>
#include <memory>
#include <string>

#include "calibrate/work/backend.h"

namespace epwise::calibrate {

/// Runs a Python script with the interpreter of the training job and returns what it printed;
/// empty, and why, when it can't. Ends within half a minute.
using RunPython = std::function<std::string(const std::string& script, std::string& reason)>;

/// The backend, with Kernel::host_operation measured as training pays it: the host's share of
/// forward and backward passes through small linear layers of Transformer Engine, three framework
/// operations each, so small that the GPU never keeps the host waiting. Without PyTorch,
/// Transformer Engine or a GPU it is not measured, with the reason.
std::unique_ptr<Backend> with_host_probe(std::unique_ptr<Backend> inner, RunPython run);

}  // namespace epwise::calibrate
