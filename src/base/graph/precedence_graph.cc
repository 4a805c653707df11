#include "base/graph/precedence_graph.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <utility>

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/topological_sort.hpp>

namespace epwise::graph {

namespace {

using CompressedGraph = boost::compressed_sparse_row_graph<boost::directedS>;

CompressedGraph compressed_graph(int nodes, std::span<const Arc> arcs) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  pairs.reserve(arcs.size());
  for (const Arc& arc : arcs) {
    assert(0 <= arc.before && arc.before < nodes && 0 <= arc.after && arc.after < nodes &&
           "an arc between nodes of the graph");
    pairs.emplace_back(static_cast<std::size_t>(arc.before), static_cast<std::size_t>(arc.after));
  }
  return {boost::edges_are_unsorted_multi_pass,
          pairs.begin(),
          pairs.end(),
          static_cast<std::size_t>(nodes)};
}

}  // namespace

PrecedenceGraph::PrecedenceGraph(int nodes, std::span<const Arc> arcs)
    : arcs_(arcs.begin(), arcs.end()) {
  std::vector<std::size_t> reversed;
  reversed.reserve(static_cast<std::size_t>(nodes));
  try {
    CompressedGraph graph = compressed_graph(nodes, arcs);
    boost::topological_sort(graph, std::back_inserter(reversed));
  } catch (const boost::not_a_dag&) {
    throw std::logic_error("a precedence graph that waits for itself");
  }
  order_.assign(reversed.rbegin(), reversed.rend());
  std::vector<int> place(order_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    place[static_cast<std::size_t>(order_[i])] = static_cast<int>(i);
  }
  std::ranges::stable_sort(
      arcs_, {}, [&](const Arc& arc) { return place[static_cast<std::size_t>(arc.before)]; });
}

double PrecedenceGraph::longest_path(std::span<const double> weights) const {
  assert(weights.size() == order_.size() && "a weight for every node");
  std::vector<double> begin(order_.size(), 0);
  for (const Arc& arc : arcs_) {
    const auto before = static_cast<std::size_t>(arc.before);
    double& start = begin[static_cast<std::size_t>(arc.after)];
    start = std::max(start, begin[before] + weights[before]);
  }
  double longest = 0;
  for (std::size_t node = 0; node < begin.size(); ++node) {
    longest = std::max(longest, begin[node] + weights[node]);
  }
  return longest;
}

}  // namespace epwise::graph
