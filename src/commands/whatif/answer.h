#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "commands/whatif/points.h"
#include "lint/rule_dependencies.h"

namespace epwise::whatif {

/// One bit per axis.
using Axes = std::uint32_t;

/// An upper bound on the axes that can change a rule's result for a recipe: those whose names reach
/// it (lint/rule_dependencies.h). The version of the framework itself changes everything.
class RuleAxes {
 public:
  RuleAxes(const Question& question,
           recipe::Framework framework,
           const std::vector<const recipe::Vocabulary*>& vocabularies);

  Axes of(const lint::Rule& rule) const;

 private:
  const Question& question_;
  Axes always_ = 0;
  std::vector<Axes> own_;  // by rule, without the dependencies of its premises
};

/// The distance of a combination from the present one; smaller ones are tried first.
struct Distance {
  std::size_t changes = 0;
  std::size_t steps = 0;  // steps, over all axes
  std::size_t downgrades = 0;

  friend bool operator<(const Distance& a, const Distance& b) {
    return std::tie(a.changes, a.steps, a.downgrades) < std::tie(b.changes, b.steps, b.downgrades);
  }
};

Distance distance(const Spot& spot, const std::vector<Axis>& axes);

/// All combinations of points, nearest first; empty if there are more than `most`.
std::vector<Spot> spots_by_distance(const std::vector<Axis>& axes, std::size_t most);

struct Found {
  std::optional<Spot> clean;
  Spot nearest;  // of those linted, the one with the fewest blockers
  bool gave_up = false;
};

/// The nearest combination without blockers other than `ignored`. A rule that blocks at one
/// combination blocks at every other with the same values on the axes that it depends on: those are
/// not linted. `gave_up` is set if there were more than `most` combinations.
Found search(Points& bench,
             const RuleAxes& rule_axes,
             const std::vector<const lint::Rule*>& ignored,
             std::size_t most);

/// Adjacent points of an axis with the same result for every rule.
struct Segment {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// One axis varies, everything else is fixed.
struct Sweep {
  std::size_t axis = 0;
  std::vector<Look> looks;  // one a point
  // rules whose result is not the same at all points, by id
  std::vector<const lint::Rule*> changing;
  std::vector<Segment> segments;
};

/// A combination found by the search.
struct Choice {
  Spot spot;
  std::vector<std::size_t> changed;  // axes on which it differs from the present
  Look look;
};

struct Answer {
  Look present;
  std::vector<Sweep> sweeps;             // one per axis
  std::vector<const lint::Rule*> stuck;  // block at every combination of points
  // found at every point of every sweep, including the stuck ones
  std::vector<const lint::Rule*> steady;
  std::optional<Choice> clean;    // except for the stuck rules
  std::optional<Choice> nearest;  // without a clean one: the fewest blockers in addition to those
  std::size_t looked_at = 0;      // combinations that were linted
  bool searched_all = true;       // false: there were too many combinations
};

/// Lints every point of every axis, then searches for the clean combination with the fewest
/// changes; among those for the nearest, upgrades before downgrades.
Answer answer(const Question& question);

/// The same combination found by linting all combinations: for tests.
std::optional<Spot> search_everything(const Question& question);

}  // namespace epwise::whatif
