#pragma once

#include <string>
#include <vector>

#include "commands/simulate/simulation.h"

namespace epwise::cli {

/// --format trace of `epwise simulate`: the event simulation of the recipes with a prediction; of a
/// long step only the first micro-batches.
std::string trace_text(const std::vector<SimulatedJob>& jobs);

/// --format html of it.
std::string page_text(const std::vector<SimulatedJob>& jobs);

}  // namespace epwise::cli
