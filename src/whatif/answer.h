#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "whatif/bench.h"

namespace epwise::whatif {

/// Neighbouring points of an axis at which every rule says the same.
struct Segment {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// One axis varies, everything else stays where it is.
struct Sweep {
  std::size_t axis = 0;
  std::vector<Look> looks;                  // one a point
  std::vector<const lint::Rule*> changing;  // rules that don't say the same at all points, by id
  std::vector<Segment> segments;
};

/// A spot that the search came to.
struct Choice {
  Spot spot;
  std::vector<std::size_t> changed;  // axes on which it differs from the present
  Look look;
};

struct Answer {
  Look present;
  std::vector<Sweep> sweeps;              // one an axis
  std::vector<const lint::Rule*> stuck;   // block at every combination of points
  std::vector<const lint::Rule*> steady;  // found on every point of every sweep, the stuck included
  std::optional<Choice> clean;            // but for the stuck rules
  std::optional<Choice> nearest;          // without a clean one: the fewest blockers besides those
  std::size_t looked_at = 0;              // spots that were linted
  bool searched_all = true;               // false: there were too many combinations
};

/// Lints every point of every axis, then looks for the clean spot with the fewest changes; among
/// those for the nearest, upgrades before downgrades.
Answer answer(const Question& question);

/// The same spot found by linting every combination: for tests.
std::optional<Spot> search_everything(const Question& question);

}  // namespace epwise::whatif
