#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "whatif/bench.h"
#include "whatif/rule_axes.h"

namespace epwise::whatif {

/// How far a spot is from the present one; the smaller, the sooner it is tried.
struct Distance {
  std::size_t changes = 0;
  std::size_t steps = 0;  // points moved, over all axes
  std::size_t downgrades = 0;

  friend bool operator<(const Distance& a, const Distance& b) {
    return std::tie(a.changes, a.steps, a.downgrades) < std::tie(b.changes, b.steps, b.downgrades);
  }
};

Distance distance(const Spot& spot, const std::vector<Axis>& axes);

/// Every combination of points, the nearest first; empty when there are more than `most`.
std::vector<Spot> spots_by_distance(const std::vector<Axis>& axes, std::size_t most);

struct Found {
  std::optional<Spot> clean;
  Spot nearest;  // of those linted, the one with the fewest blockers
  bool gave_up = false;
};

/// The nearest spot without blockers other than `ignored`. A rule that blocks at one spot blocks at
/// every other that agrees with it on the axes that the rule depends on: those are not linted.
/// `gave_up` tells that there were more than `most` combinations.
Found search(Bench& bench,
             const RuleAxes& rule_axes,
             const std::vector<const lint::Rule*>& ignored,
             std::size_t most);

}  // namespace epwise::whatif
