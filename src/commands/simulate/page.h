#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands/simulate/report.h"
#include "perf/sim/step/candidates.h"
#include "perf/sim/step/step_nodes.h"

namespace epwise::report {

/// One recipe's prediction with the data for its charts.
struct PageRecipe {
  SimulatedRecipe simulated;
  std::vector<sim::SteadyLayers> layers;
  sim::SmSweep sweep;
  std::string dispatcher;  // "hybridep"; empty: nothing is exchanged
  double event_step = 0;   // s, the same step by event simulation; 0: not run
};

/// One self-contained HTML page without scripts, fonts or links: a recipe's figures, its waterfall,
/// the timeline of a steady layer pair, the sweep over the dispatcher's SMs, memory by stage
/// compared with the GPU's, and the inputs. Supports light and dark mode and small screens.
std::string simulate_html(const std::vector<PageRecipe>& recipes);

}  // namespace epwise::report

/// Building blocks of the pages of simulate_html.cc and advise_html.cc. Functions ending in
/// `_section` return a `<section>`.

namespace epwise::report {

/// Text for HTML: &, <, > and quotes escaped, control characters and invalid UTF-8 made visible.
std::string escaped(std::string_view text);

/// "12.34%" of a length; at most 100, at least 0.
std::string percent(double share);

/// A legend entry: a coloured square and its meaning.
std::string legend_entry(std::string_view colour, std::string_view title);

/// The page's style sheet.
std::string_view page_style();

std::string waterfall_section(const sim::Prediction& prediction);
std::string timeline_section(const std::vector<sim::SteadyLayers>& pictures);
std::string sweep_section(const PageRecipe& recipe);
std::string memory_section(const sim::Prediction& prediction);
std::string inputs_section(const std::vector<workload::Input>& inputs);

}  // namespace epwise::report
