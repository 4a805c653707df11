#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lint/finding.h"
#include "lint/rule.h"
#include "repair/bench.h"
#include "repair/search.h"

namespace epwise::repair {

/// A fix that is made, and what it was made for.
struct Repair {
  std::string rule;  // id of the finding that offers it
  lint::Tier tier = lint::Tier::neutral;
  std::vector<std::string> changes;  // "model.num_moe_experts: 60 → 64", "remove --swiglu"
};

/// What a fix of this finding does. Its marks must still point into a text that is there.
Repair repair_of(const lint::Fix& fix, const lint::Finding& finding);

/// What can be done about a recipe within a tier.
struct Plan {
  Trial after;                  // the changed recipe, linted
  std::vector<Repair> repairs;  // in the order of the recipe's findings
  int trials = 0;               // how often the recipe was linted
  bool bounded = false;         // the search was cut short: fewer changes may do
};

/// The smallest set of fixes with which a recipe has no errors, none above `highest`; then what can
/// be done about warnings and, where it changes nothing in the run, notes, one by one. Errors that
/// no fix of the tier settles stay. Every set is linted before it counts: no new finding at or
/// above warning, no worse launch.
Plan plan(const Bench& bench, const Trial& before, lint::Tier highest, const Bounds& bounds = {});

}  // namespace epwise::repair
