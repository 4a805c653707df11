#pragma once

#include "commands/compare/report.h"
#include "commands/simulate/simulation.h"
#include "ui/exit_code.h"

namespace epwise::cli {

/// The result of `epwise compare` for two simulated recipes. `simulator` provides the constants.
report::ComparedRecipes compare_jobs(const Simulator& simulator, SimulatedJob a, SimulatedJob b);

/// Findings if a prediction is missing or, unless `force`, lint finds errors in one of them.
ExitCode exit_code_of(const report::ComparedRecipes& recipes, bool force);

}  // namespace epwise::cli
