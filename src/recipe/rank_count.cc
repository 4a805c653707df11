#include "recipe/rank_count.h"

#include <fmt/format.h>

#include "base/units/checked.h"

namespace epwise::recipe {

void set_ranks(Recipe& recipe, const Ranks& ranks, const std::string& otherwise) {
  if (ranks.nodes < 1 || ranks.each < 1) {
    return;
  }
  const auto all = units::product(ranks.nodes, ranks.each);
  if (!all || *all > kMostRanks) {
    report_too_many_ranks(recipe,
                          ranks.nodes == 1
                              ? fmt::format("{} GPUs", ranks.each)
                              : fmt::format("{} nodes x {} GPUs", ranks.nodes, ranks.each),
                          ranks.mark);
    return;
  }
  recipe.raw["raw.gpus"] = expr::Value::of(*all);
  constexpr std::int64_t kMostPerNode = 16;
  if (ranks.each <= kMostPerNode) {  // otherwise all ranks were given as if of one node
    recipe.raw["raw.ranks_per_node"] = expr::Value::of(ranks.each);
  }
  recipe.raw["raw.gpus_source"] =
      expr::Value::of(ranks.mark.nowhere()
                          ? otherwise
                          : fmt::format("{}:{}", ranks.mark.file->name(), ranks.mark.start().line));
}

void report_too_many_ranks(Recipe& recipe, const std::string& numbers, const text::Mark& mark) {
  recipe.diagnostics.push_back(
      {"recipe/too-many-ranks",
       mark,
       fmt::format("{} is out of range: epwise believes in up to {} GPUs", numbers, kMostRanks),
       {},
       "--gpus N says how many there are"});
}

}  // namespace epwise::recipe
