#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "expr/expression.h"
#include "expr/precedence.h"

namespace epwise::expr {

int cost_bound(const Expression& expression) {
  constexpr std::int64_t kRounds = 64;
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  std::vector<std::int64_t> costs;
  for (const Node& node : expression.nodes) {
    std::int64_t cost = 1;
    for (std::int32_t i = 0; i < node.count; ++i) {
      const auto at = static_cast<std::size_t>(node.first) + static_cast<std::size_t>(i);
      const std::int64_t child = costs[static_cast<std::size_t>(expression.children[at])];
      cost += is_macro(node.op) && i == 1 ? child * kRounds : child;
    }
    costs.push_back(std::min(cost, kMost));
  }
  return costs.empty() ? 0 : static_cast<int>(costs.back());
}

}  // namespace epwise::expr
