#pragma once

#include "commands/compare/report.h"
#include "commands/simulate/simulation.h"
#include "ui/exit_code.h"

namespace epwise::cli {

/// What `epwise compare` says of two recipes that were simulated. `simulator` gives the constants.
report::ComparedRecipes compare_jobs(const Simulator& simulator, SimulatedJob a, SimulatedJob b);

/// Findings where a prediction is missing or, unless `force`, lint finds errors in one of them.
ExitCode exit_code_of(const report::ComparedRecipes& recipes, bool force);

}  // namespace epwise::cli
