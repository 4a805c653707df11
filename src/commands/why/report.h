#pragma once

#include <string>
#include <vector>

#include "commands/why/trace.h"
#include "session/host.h"
#include "ui/findings/writer.h"
#include "ui/style.h"

namespace epwise::report {

/// The explanation of a value:
///
///   DP = 32: data-parallel size of the dense layers
///   = gpus // (d.TP * d.PP * d.CP * d.GTP)
///   |- gpus = 64                                  --gpus
///   |- model.pipeline_model_parallel_size = 2     recipe.yaml:5:33
///
/// For a value in the recipe, its stages one below the other, with the text that sets it.
std::string why_text(const why::Trace& trace, const Style& style);

/// {"schema": "epwise.why/1", "name", "value", "steps": […], "inputs": […]}
std::string why_json(const why::Trace& trace, const std::vector<session::NewerRelease>& newer = {});

}  // namespace epwise::report
