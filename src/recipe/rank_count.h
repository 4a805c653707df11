#pragma once

#include <cstdint>
#include <string>

#include "base/text/diagnostic.h"
#include "recipe/recipe.h"

namespace epwise::recipe {

/// As many ranks as are believed.
constexpr std::int64_t kMostRanks = 1 << 24;

/// Nodes and the ranks of each, as a launcher takes them; one node where only the ranks are told.
struct Ranks {
  std::int64_t nodes = 1;
  std::int64_t each = 0;
  text::Mark mark;  // of one of them; nowhere when nobody wrote them
};

/// The number of ranks that the recipe's own launcher tells: raw.gpus, with where it stands as
/// raw.gpus_source ("run.sh:12", or `otherwise` for a mark that is nowhere). Numbers below one tell
/// nothing; too many are reported (recipe/too-many-ranks) and not believed.
void set_ranks(Recipe& recipe, const Ranks& ranks, const std::string& otherwise);

/// Reports numbers whose product, or difference, is more than anybody has.
void report_too_many_ranks(Recipe& recipe, const std::string& numbers, const text::Mark& mark);

}  // namespace epwise::recipe
