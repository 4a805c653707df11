#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace epwise::graph {

/// A directed graph over named nodes, "a depends on b": the only users of Boost.Graph are this
/// class and PrecedenceGraph. Shared by lint (rules and derived values) and the simulator (tasks).
/// Nodes are numbered in the order of `add_node`, and all results are deterministic.
class DependencyGraph {
 public:
  /// Adds a node and returns its number (0, 1, …). Names are for messages and need not be unique.
  int add_node(std::string name);

  /// Adds nodes without names.
  void add_nodes(std::size_t count) {
    names_.resize(names_.size() + count);
    edges_.resize(names_.size());
  }

  /// `from` depends on `to`. Parallel edges are kept once.
  void add_edge(int from, int to);

  int size() const { return static_cast<int>(names_.size()); }

  const std::string& name(int node) const { return names_[static_cast<std::size_t>(node)]; }

  /// Dependencies first; ties in node order. nullopt if there is a cycle.
  std::optional<std::vector<int>> order() const;

  /// One cycle as names, with the first repeated at the end: {"d.DP", "d.M", "d.DP"}; empty if
  /// there is none.
  std::vector<std::string> cycle() const;

  /// Every node that `node` depends on, directly or transitively, ascending, without itself.
  std::vector<int> reachable(int node) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<int>> edges_;
};

}  // namespace epwise::graph
