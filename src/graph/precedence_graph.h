#pragma once

#include <span>
#include <vector>

namespace epwise::graph {

/// One thing comes before another.
struct Arc {
  int before = 0;
  int after = 0;
};

/// Many numbered things in an order that is only partly given, as a compressed adjacency list: the
/// second face of the Boost.Graph door, for graphs of 10⁵ nodes without names (`DependencyGraph` is
/// for hundreds with).
class PrecedenceGraph {
 public:
  /// Nodes 0 … nodes − 1. Throws std::logic_error when the arcs close a cycle.
  PrecedenceGraph(int nodes, std::span<const Arc> arcs);

  int size() const { return static_cast<int>(order_.size()); }

  /// All nodes, everyone behind what comes before it. Deterministic.
  const std::vector<int>& order() const { return order_; }

  /// The weight of the heaviest path, the weights of its nodes summed: how long all takes when each
  /// node takes its weight and nothing but the arcs holds anyone up. 0 for an empty graph.
  double longest_path(std::span<const double> weights) const;

 private:
  std::vector<Arc> arcs_;  // by `before`, in the order of `order_`
  std::vector<int> order_;
};

}  // namespace epwise::graph
