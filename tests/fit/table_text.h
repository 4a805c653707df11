#pragma once

#include <string>
#include <vector>

#include "perf/cost/table.h"

namespace epwise::fit {

/// The text of a table with new numbers for one entry: its `fitted` values (four digits), its
/// `relative_sd` and what is said of its rows. Everything else keeps its bytes.
std::string with_values(const std::string& text,
                        const cost::TableEntry& entry,
                        const std::vector<double>& values,
                        double relative_sd,
                        const std::string& rows);

}  // namespace epwise::fit
