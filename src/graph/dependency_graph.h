#pragma once

#include <optional>
#include <string>
#include <vector>

namespace epwise::graph {

/// A directed graph over named nodes, "a depends on b": THE Boost.Graph door, shared by lint (rules
/// and derived values) and the simulator (tasks). Node numbers are given in the order of
/// `add_node`, and all answers are deterministic.
class DependencyGraph {
 public:
  /// Adds a node and returns its number (0, 1, …). Names are for messages and need not be unique.
  int add_node(std::string name);

  /// `from` depends on `to`. Parallel edges are kept once.
  void add_edge(int from, int to);

  int size() const { return static_cast<int>(names_.size()); }

  const std::string& name(int node) const { return names_[static_cast<std::size_t>(node)]; }

  /// Dependencies first; among free choices the smaller number first. nullopt when there is a
  /// cycle.
  std::optional<std::vector<int>> order() const;

  /// One cycle as names, first repeated at the end: {"d.DP", "d.M", "d.DP"}; empty when there is
  /// none.
  std::vector<std::string> cycle() const;

  /// Every node that `node` depends on, directly or not, ascending, without itself.
  std::vector<int> reachable(int node) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<int>> edges_;
};

}  // namespace epwise::graph
