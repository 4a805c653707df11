#include "base/graph/dependency_graph.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <stdexcept>
#include <utility>

// Before the searches: they look up its functions at their definition.
// clang-format off
#include <boost/graph/vector_as_graph.hpp>
// clang-format on
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/strong_components.hpp>

namespace epwise::graph {

namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

Graph boost_graph(const std::vector<std::vector<int>>& edges) {
  Graph graph(edges.size());
  for (std::size_t from = 0; from < edges.size(); ++from) {
    for (const int to : edges[from]) {
      boost::add_edge(from, static_cast<std::size_t>(to), graph);
    }
  }
  return graph;
}

/// Predecessors in a breadth-first search from `start`, reading the edges in place; `edges.size()`
/// for unreached nodes.
std::vector<std::size_t> search_tree(const std::vector<std::vector<int>>& edges, int start) {
  std::vector<std::size_t> predecessors(edges.size(), edges.size());
  const boost::typed_identity_property_map<int> index;
  boost::breadth_first_search(
      edges,
      start,
      boost::vertex_index_map(index).visitor(boost::make_bfs_visitor(boost::record_predecessors(
          boost::make_iterator_property_map(predecessors.begin(), index), boost::on_tree_edge()))));
  return predecessors;
}

/// The smallest node on a cycle; `nullopt` if there is none.
std::optional<std::size_t> first_on_cycle(const Graph& graph) {
  std::vector<int> component(boost::num_vertices(graph));
  const int count = boost::strong_components(graph, component.data());
  std::vector<int> members(static_cast<std::size_t>(count), 0);
  for (const int index : component) {
    ++members[static_cast<std::size_t>(index)];
  }
  for (std::size_t node = 0; node < component.size(); ++node) {
    const bool shares = members[static_cast<std::size_t>(component[node])] > 1;
    if (shares || boost::edge(node, node, graph).second) {
      return node;
    }
  }
  return std::nullopt;
}

}  // namespace

int DependencyGraph::add_node(std::string name) {
  names_.push_back(std::move(name));
  edges_.emplace_back();
  return size() - 1;
}

void DependencyGraph::add_edge(int from, int to) {
  if (from < 0 || from >= size() || to < 0 || to >= size()) {
    throw std::logic_error("an edge joins two nodes of the graph");
  }
  auto& targets = edges_[static_cast<std::size_t>(from)];
  if (targets.empty() || targets.back() < to) {  // most edges come in order
    targets.push_back(to);
    return;
  }
  const auto place = std::lower_bound(targets.begin(), targets.end(), to);
  if (place == targets.end() || *place != to) {
    targets.insert(place, to);
  }
}

std::optional<std::vector<int>> DependencyGraph::order() const {
  const Graph graph = boost_graph(edges_);
  std::vector<std::size_t> missing;  // unplaced dependencies of each node
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int node = 0; node < size(); ++node) {
    missing.push_back(boost::out_degree(static_cast<std::size_t>(node), graph));
    if (missing.back() == 0) {
      ready.push(node);
    }
  }
  std::vector<int> placed;
  while (!ready.empty()) {
    const int node = ready.top();
    ready.pop();
    placed.push_back(node);
    const auto users = boost::in_edges(static_cast<std::size_t>(node), graph);
    for (auto edge = users.first; edge != users.second; ++edge) {
      const std::size_t user = boost::source(*edge, graph);
      if (--missing[user] == 0) {
        ready.push(static_cast<int>(user));
      }
    }
  }
  return placed.size() == names_.size() ? std::optional(placed) : std::nullopt;
}

std::vector<std::string> DependencyGraph::cycle() const {
  const Graph graph = boost_graph(edges_);
  const auto start = first_on_cycle(graph);
  if (!start) {
    return {};
  }
  // The nearest node with an edge back closes a shortest cycle through `start`.
  const auto predecessors = search_tree(edges_, static_cast<int>(*start));
  std::vector<std::string> best;
  const auto closing = boost::in_edges(*start, graph);
  for (auto edge = closing.first; edge != closing.second; ++edge) {
    const std::size_t last = boost::source(*edge, graph);
    if (last != *start && predecessors[last] == names_.size()) {
      continue;  // not reachable from `start`
    }
    std::vector<std::string> names = {names_[*start]};
    for (std::size_t node = last; node != *start; node = predecessors[node]) {
      names.push_back(names_[node]);
    }
    names.push_back(names_[*start]);
    if (best.empty() || names.size() < best.size()) {
      best.assign(names.rbegin(), names.rend());
    }
  }
  return best;
}

std::vector<int> DependencyGraph::reachable(int node) const {
  if (node < 0 || node >= size()) {
    throw std::logic_error("a search starts at a node of the graph");
  }
  const auto predecessors = search_tree(edges_, node);
  std::vector<int> found;
  for (int other = 0; other < size(); ++other) {
    if (predecessors[static_cast<std::size_t>(other)] != names_.size()) {
      found.push_back(other);
    }
  }
  return found;
}

}  // namespace epwise::graph
