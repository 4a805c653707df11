#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/simulate/report.h"
#include "perf/sim/prediction/comparison.h"
#include "session/host.h"

namespace epwise::report {

/// The result of `epwise compare A B`; no comparison if one of them has no prediction.
struct ComparedRecipes {
  SimulatedRecipe a;
  SimulatedRecipe b;
  std::optional<sim::Comparison> comparison;
  double tokens_ratio = 0;  // tokens per second of B over A's, if a step of each has other tokens
  std::vector<std::string> cautions = {};  // what else differs between the two runs
};

/// For people:
///
///   A  off.yaml   42.6 s
///   B  on.yaml    33.4 s
///
///   B is faster: T(A)/T(B) = 1.28, 1.13 to 1.43 with 80 %
///     exposed combine   -6.4 s   …
std::string compare_text(const ComparedRecipes& recipes, const Style& style);

/// {"schema": "epwise.compare/1", "speedup": {"value", "low", "high"}, "verdict": "a|b|too_close",
///  "causes": […]}
std::string compare_json(const ComparedRecipes& recipes,
                         const std::vector<session::NewerRelease>& newer = {});

/// {"schema": "epwise.comparisons/1", "comparisons": [epwise.compare/1, …]}
std::string comparisons_json(const std::vector<ComparedRecipes>& all,
                             const std::vector<session::NewerRelease>& newer = {});

}  // namespace epwise::report
