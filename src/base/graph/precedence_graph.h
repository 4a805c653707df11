#pragma once

#include <span>
#include <vector>

namespace epwise::graph {

/// One thing comes before another.
struct Arc {
  int before = 0;
  int after = 0;
};

/// Many numbered nodes in a partial order, as a compressed adjacency list (Boost.Graph): for graphs
/// of 10⁵ nodes without names; `DependencyGraph` is for hundreds of named nodes.
class PrecedenceGraph {
 public:
  /// Nodes 0 … nodes − 1. Throws std::logic_error if the arcs form a cycle.
  PrecedenceGraph(int nodes, std::span<const Arc> arcs);

  int size() const { return static_cast<int>(order_.size()); }

  /// All nodes in topological order. Deterministic.
  const std::vector<int>& order() const { return order_; }

  /// The largest sum of node weights over all paths: the total duration if each node takes its
  /// weight and only the arcs impose an order. 0 for an empty graph.
  double longest_path(std::span<const double> weights) const;

 private:
  std::vector<Arc> arcs_;  // by `before`, in the order of `order_`
  std::vector<int> order_;
};

}  // namespace epwise::graph
