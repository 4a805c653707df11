#pragma once

#include <string>
#include <string_view>

#include "report/page/writer.h"

/// The parts that the pages of simulate_html.cc and advise_html.cc are put together from. What ends
/// in `_section` returns a `<section>`.
namespace epwise::report {

/// Text as HTML shows it: &, <, > and quotes escaped, control characters and broken UTF-8 made
/// visible.
std::string escaped(std::string_view text);

/// "12.34%" of a length; at most 100, at least 0.
std::string percent(double share);

/// A line of a legend: a square in a colour of the style sheet, and what it stands for.
std::string legend_entry(std::string_view colour, std::string_view title);

/// The page's style sheet.
std::string_view page_style();

std::string waterfall_section(const sim::Prediction& prediction);
std::string timeline_section(const std::vector<sim::SteadyLayers>& pictures);
std::string sweep_section(const PageRecipe& recipe);
std::string memory_section(const sim::Prediction& prediction);
std::string inputs_section(const std::vector<model::Input>& inputs);

}  // namespace epwise::report
