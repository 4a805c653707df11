#pragma once

#include <cstdint>
#include <string>

#include "base/text/diagnostic.h"
#include "recipe/recipe.h"

namespace epwise::recipe {

/// The largest number of ranks that is considered plausible.
constexpr std::int64_t kMostRanks = 1 << 24;

/// Nodes and the ranks of each, as a launcher takes them; one node if only the ranks are given.
struct Ranks {
  std::int64_t nodes = 1;
  std::int64_t each = 0;
  text::Mark mark;  // of one of them; nowhere if they are not written
};

/// The number of ranks given by the recipe's own launcher: raw.gpus, and raw.ranks_per_node, with
/// their location as raw.gpus_source ("run.sh:12", or `otherwise` for a mark that is nowhere). Numbers below one are
/// ignored; too large ones are reported (recipe/too-many-ranks) and ignored.
void set_ranks(Recipe& recipe, const Ranks& ranks, const std::string& otherwise);

/// Reports numbers whose product, or difference, is implausibly large.
void report_too_many_ranks(Recipe& recipe, const std::string& numbers, const text::Mark& mark);

}  // namespace epwise::recipe
