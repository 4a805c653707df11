#pragma once

#include <string>
#include <vector>

#include "report/simulate/writer.h"
#include "sim/step/sm_sweep.h"
#include "sim/step/steady_layers.h"

namespace epwise::report {

/// One recipe's prediction with what a page draws of it.
struct PageRecipe {
  SimulatedRecipe simulated;
  std::vector<sim::SteadyLayers> layers;
  sim::SmSweep sweep;
  std::string dispatcher;  // "hybridep"; empty: nothing is exchanged
  double event_step = 0;   // s, the same step by events; 0: not run
};

/// One self-contained HTML page without scripts, fonts or links: a recipe's figures, its waterfall,
/// the timeline of a steady layer pair, the sweep over the dispatcher's SMs, memory by stage
/// against the GPU's, and the inputs. Follows the reader's choice of a light or dark page, fits a
/// phone.
std::string simulate_html(const std::vector<PageRecipe>& recipes);

}  // namespace epwise::report
