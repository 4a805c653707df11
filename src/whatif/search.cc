#include "whatif/search.h"

#include <algorithm>
#include <utility>

namespace epwise::whatif {

namespace {

/// Points of some axes that suffice for a rule to block.
struct Conflict {
  Axes axes = 0;
  Spot spot;

  bool covers(const Spot& other) const {
    for (std::size_t i = 0; i < spot.size(); ++i) {
      if ((axes >> i & 1U) != 0 && spot[i] != other[i]) {
        return false;
      }
    }
    return true;
  }
};

}  // namespace

Distance distance(const Spot& spot, const std::vector<Axis>& axes) {
  Distance distance;
  for (std::size_t i = 0; i < spot.size(); ++i) {
    const auto present = axes[i].present;
    const bool ordered = axes[i].name != "hw";
    if (spot[i] != present) {
      ++distance.changes;
      distance.steps += ordered ? std::max(spot[i], present) - std::min(spot[i], present) : 1;
      distance.downgrades += ordered && spot[i] < present ? 1U : 0U;
    }
  }
  return distance;
}

std::vector<Spot> spots_by_distance(const std::vector<Axis>& axes, std::size_t most) {
  std::size_t count = 1;
  for (const auto& axis : axes) {
    count *= axis.points.size();
    if (count > most) {
      return {};
    }
  }
  std::vector<std::pair<Distance, Spot>> all;
  all.reserve(count);
  Spot spot(axes.size(), 0);
  for (std::size_t i = 0; i < count; ++i) {
    all.emplace_back(distance(spot, axes), spot);
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      spot[axis] = (spot[axis] + 1) % axes[axis].points.size();
      if (spot[axis] != 0) {
        break;
      }
    }
  }
  std::ranges::sort(all);
  std::vector<Spot> spots;
  spots.reserve(count);
  for (auto& each : all) {
    spots.push_back(std::move(each.second));
  }
  return spots;
}

Found search(Bench& bench,
             const RuleAxes& rule_axes,
             const std::vector<const lint::Rule*>& ignored,
             std::size_t most) {
  const auto spots = spots_by_distance(bench.question().axes, most);
  Found found;
  found.gave_up = spots.empty();
  std::size_t fewest = 0;
  std::vector<Conflict> conflicts;
  for (const auto& spot : spots) {
    const auto covers = [&](const Conflict& conflict) { return conflict.covers(spot); };
    if (std::ranges::any_of(conflicts, covers)) {
      continue;
    }
    std::size_t blockers = 0;
    for (const auto* rule : bench.look(spot).blockers) {
      if (std::ranges::find(ignored, rule) == ignored.end()) {
        ++blockers;
        conflicts.push_back({rule_axes.of(*rule), spot});
      }
    }
    if (blockers == 0) {
      found.clean = spot;
      return found;
    }
    if (found.nearest.empty() || blockers < fewest) {
      found.nearest = spot;
      fewest = blockers;
    }
  }
  return found;
}

}  // namespace epwise::whatif
