#pragma once

#include <string>
#include <vector>

#include "commands/diff/report.h"
#include "commands/simulate/simulation.h"
#include "session/analysis.h"

namespace epwise::cli {

/// One side of a comparison.
struct ComparedSide {
  std::string name;  // "main:a.yaml"
  session::Analysis analysis;
};

/// The result of `epwise diff` for two recipes. Step times are predicted if both start.
report::RecipeDifference difference_of(const Simulator& simulator,
                                       const ComparedSide& before,
                                       const ComparedSide& after);

/// The result for a recipe that only the newer side has.
report::OneSided added_recipe(const std::string& path, const session::Analysis& analysis);

/// Whether a change is for the worse: it introduces a finding at or above --fail-on.
bool introduces_failure(const std::vector<diff::Told>& introduced,
                        const session::Threshold& threshold);

}  // namespace epwise::cli
