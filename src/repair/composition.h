#pragma once

#include <optional>

#include "lint/finding.h"
#include "repair/bench.h"

namespace epwise::repair {

/// A fix that settles a finding together with what its own fixes bring along: where switching
/// graphs off leaves a list of modules that then captures nothing, the list goes too. nullopt when
/// a few changes within the tier don't come out clean. `before` is the lint of the recipe as it is;
/// the marks of the result point into its text. `trials` grows by the lints that were made.
std::optional<lint::Fix> composed_fix(const Bench& bench,
                                      const Trial& before,
                                      const lint::Finding& finding,
                                      lint::Tier highest,
                                      int& trials);

}  // namespace epwise::repair
